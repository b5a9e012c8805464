// Package hourly adds up what was counted or spent within the last hour, in constant memory. It has
// no clock, no lock and no limit: these are its caller's.
package hourly

import "time"

// An hour is divided into slots, so that a sum does not grow with the number of its amounts.
const (
	Slots      = 12
	slotLength = time.Hour / Slots
)

// Slot returns the number of the slot of a time, since 1970.
func Slot(t time.Time) int64 { return t.Unix() / int64(slotLength/time.Second) }

// Sum is a sum over the last hour. Amounts older than eleven to twelve slots do not count. The zero
// value is empty. It is not safe for concurrent use.
type Sum[N int | float64] struct {
	slots [Slots]struct {
		number int64
		amount N
	}
}

// Add adds an amount at a time, which must be less than an hour before those of earlier amounts.
func (s *Sum[N]) Add(at time.Time, amount N) {
	number := Slot(at)
	slot := &s.slots[number%Slots]
	if slot.number != number {
		slot.number, slot.amount = number, 0
	}
	slot.amount += amount
}

// At returns the sum of the hour before a time.
func (s *Sum[N]) At(t time.Time) (sum N) {
	for _, slot := range s.slots {
		if Counts(slot.number, t) {
			sum += slot.amount
		}
	}
	return sum
}

// Counts reports whether a slot counts in the hour before a time. One that is up to an hour later
// does: clocks of several processes differ. One that is later still does not: its clock was wrong,
// or was set back since, and its amounts would count until the clock is there again.
func Counts(slot int64, t time.Time) bool {
	now := Slot(t)
	return now-Slots < slot && slot < now+Slots
}
