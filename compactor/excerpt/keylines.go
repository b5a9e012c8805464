package excerpt

import (
	"slices"
	"strings"

	"killick/summary"
	"killick/transcript"
)

// Of some outputs a few lines tell most: how a run ended, what a listing begins
// and ends with. A placeholder quotes them.

const (
	MaxKeyLines   = 400 // bytes of all lines quoted
	maxKeyLine    = 120 // bytes of one
	maxWrongLines = 3   // lines of a run that report a fault
)

// tellingLines returns the lines of an output that tell most of it, each on one
// line, in at most room bytes together.
func KeyLines(text string, c *transcript.Call, room int) (lines []string) {
	take := func(line string) {
		if line = summary.Line(line, maxKeyLine); line != "" && len(line) <= room && !slices.Contains(lines, line) {
			lines = append(lines, line)
			room -= len(line)
		}
	}
	switch {
	case c.Lists():
		first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
		second, _, _ := strings.Cut(rest, "\n")
		take(first)
		take(second)
		take(lastLine(text))
	case c.Effect == transcript.Runs:
		wrong := 0
		for line := range strings.Lines(text) {
			if wrong < maxWrongLines && looksWrong(line) {
				take(line)
				wrong++
			}
		}
		take(lastLine(text)) // where the verdict stands
	}
	return lines
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
