package fakeserver

import (
	"testing"
	"time"
)

func TestPrefixesForgetTheOldest(t *testing.T) {
	var p Prefixes
	for i := range uint64(3 * generation) {
		p.Add(i, time.Time{})
	}
	if held := len(p.young) + len(p.old); held > 2*generation {
		t.Errorf("%d prefixes held, want at most %d", held, 2*generation)
	}
	if p.Has(0, time.Time{}) || !p.Has(3*generation-1, time.Time{}) {
		t.Errorf("the first prefix is held: %v, the last: %v; want only the last",
			p.Has(0, time.Time{}), p.Has(3*generation-1, time.Time{}))
	}
}

func TestPrefixesEnd(t *testing.T) {
	var p Prefixes
	start := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	p.Add(1, start.Add(time.Minute))
	if !p.Has(1, start) || p.Has(1, start.Add(time.Minute)) {
		t.Errorf("held at the start: %v, at its end: %v; want only the start", p.Has(1, start),
			p.Has(1, start.Add(time.Minute)))
	}
	p.Add(1, start.Add(time.Hour))
	if !p.Has(1, start.Add(time.Minute)) {
		t.Error("a prefix that was added again is not held longer")
	}
	p.Add(1, start.Add(time.Minute))
	if !p.Has(1, start.Add(time.Minute)) {
		t.Error("a prefix that was added again for less time is held shorter")
	}
}
