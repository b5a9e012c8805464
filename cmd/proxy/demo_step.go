package main

import (
	"fmt"
	"strings"
)

// step is how far a replay has come.
type step struct {
	done, of int
	demoTurn
}

// draw draws one line no wider than the terminal.
func (s step) draw(l look) string {
	const bar = 16
	full := bar * s.done / max(1, s.of)
	text := fmt.Sprintf(" turn %d of %d   %7s %s %7s tokens", s.done, s.of, grouped(s.Raw), l.glyphs.arrow, grouped(s.Sent))
	line := "  " + l.sent(strings.Repeat(l.glyphs.sent, full)) + l.raw(strings.Repeat(l.glyphs.raw, bar-full)) + text
	plain := 2 + bar + len([]rune(text))
	if action := "  " + printable(s.Action); s.Action != "none" && plain+len(action) < l.width {
		line += l.dim(action)
	}
	return line
}
