package demo

import (
	"fmt"
	"strings"

	"killick/internal/terminal"
)

// step is the progress of a replay.
type step struct {
	done, of int
	turn
}

// draw draws one line no wider than the terminal.
func (s step) draw(l terminal.Look) string {
	const bar = 16
	full := bar * s.done / max(1, s.of)
	text := fmt.Sprintf(" turn %d of %d   %7s %s %7s tokens", s.done, s.of, terminal.Grouped(s.Raw),
		l.Glyphs.Arrow, terminal.Grouped(s.Sent))
	line := "  " + l.Sent(strings.Repeat(l.Glyphs.Sent, full)) +
		l.Raw(strings.Repeat(l.Glyphs.Raw, bar-full)) + text
	plain := 2 + bar + len([]rune(text))
	if action := "  " + terminal.Printable(s.Action); s.Action != "none" &&
		plain+len(action) < l.Width {
		line += l.Dim(action)
	}
	return line
}
