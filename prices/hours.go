package prices

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Hours are hours of a day: bit n is set for the hour that begins at n o'clock.
type Hours uint32

// Has reports whether an hour is among them.
func (h Hours) Has(hour int) bool { return h>>hour&1 != 0 }

// String formats them as UnmarshalText reads them.
func (h Hours) String() string {
	var parts []string
	for from := 0; from < 24; from++ {
		if !h.Has(from) {
			continue
		}
		to := from
		for to < 24 && h.Has(to) {
			to++
		}
		parts = append(parts, strconv.Itoa(from)+"-"+strconv.Itoa(to))
		from = to
	}
	return strings.Join(parts, ",")
}

// UnmarshalText reads ranges such as 1-4,6-10: from the first hour until the second. A range
// may pass midnight.
func (h *Hours) UnmarshalText(text []byte) error {
	var hours Hours
	for part := range strings.SplitSeq(string(text), ",") {
		first, second, _ := strings.Cut(strings.TrimSpace(part), "-")
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(second)
		if err1 != nil || err2 != nil || from < 0 || to < 0 || from > 23 || to > 24 || from == to {
			return fmt.Errorf("%.40q is not a range of hours; write the hours of UTC at which it "+
				"begins and ends, such as 1-4 or 22-6", part)
		}
		hours |= 1 << from
		for hour := (from + 1) % 24; hour != to%24; hour = (hour + 1) % 24 {
			hours |= 1 << hour
		}
	}
	*h = hours
	return nil
}

// Days are days of the week: bit n is set for the time.Weekday n.
type Days uint8

// Has reports whether a day is among them; if there are none, every day is.
func (d Days) Has(day time.Weekday) bool { return d == 0 || d>>day&1 != 0 }

// week begins with Monday, as ranges of days are written.
var week = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// weekday returns the day of an index of week.
func weekday(i int) time.Weekday { return time.Weekday((i + 1) % 7) }

// String formats them as UnmarshalText reads them.
func (d Days) String() string {
	if d == 0 {
		return ""
	}
	var parts []string
	for from := 0; from < len(week); from++ {
		if !d.Has(weekday(from)) {
			continue
		}
		to := from
		for to+1 < len(week) && d.Has(weekday(to+1)) {
			to++
		}
		part := week[from]
		if to > from {
			part += "-" + week[to]
		}
		parts = append(parts, part)
		from = to
	}
	return strings.Join(parts, ",")
}

// UnmarshalText reads days and ranges of days such as mon-fri or sat,sun.
func (d *Days) UnmarshalText(text []byte) error {
	var days Days
	for part := range strings.SplitSeq(strings.ToLower(string(text)), ",") {
		first, second, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			second = first
		}
		from, to := dayIndex(first), dayIndex(second)
		if from < 0 || to < 0 {
			return fmt.Errorf("%.40q is not a day; write mon, tue, wed, thu, fri, sat, sun or a "+
				"range such as mon-fri", part)
		}
		for i := from; ; i = (i + 1) % len(week) {
			days |= 1 << weekday(i)
			if i == to {
				break
			}
		}
	}
	*d = days
	return nil
}

func dayIndex(name string) int {
	for i, day := range week {
		if name == day {
			return i
		}
	}
	return -1
}
