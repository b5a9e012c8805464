package transcript

import (
	"strconv"
	"strings"
)

// FileLines returns the lines of files in the output of a call that reads, without those that its
// tool put before and behind them, and the number of the first one: that which the tool states, or
// else first.
func (c *Call) FileLines(output string, first int) (lines string, from int) {
	head, rest, _ := strings.Cut(output, "\n")
	if len(c.Paths) == 1 && head == "Content of "+c.Paths[0].Name+":" { // Continue 1.5.47
		return rest, first
	}
	if from, ok := shownFrom(head, "Showing lines ", " total lines."); ok { // qwen-code 0.24.4
		if rest, ok = strings.CutPrefix(rest, "\n---\n\n"); ok {
			return rest, from
		}
	}
	return withoutNotice(output, first)
}

// withoutNotice removes the line that pi (0.87.1) puts behind a part of a file: "[324 more lines in
// file. Use offset=41 to continue.]", "[Showing lines 1-40 of 364. Use offset=41 to continue.]".
func withoutNotice(output string, first int) (lines string, from int) {
	at := strings.LastIndex(output, "\n\n[") + len("\n\n")
	if at < len("\n\n") {
		return output, first
	}
	notice, ok := strings.CutSuffix(strings.TrimSpace(output[at:]), " to continue.]")
	before, offset, is := strings.Cut(notice, ". Use offset=")
	next, isNumber := number(offset)
	if !ok || !is || !isNumber || strings.ContainsRune(notice, '\n') {
		return output, first
	}
	if _, of := shownFrom(before, "[Showing lines ", ""); !of &&
		!strings.HasSuffix(before, " more lines in file") {
		return output, first
	}
	lines = output[:at-1]
	return lines, max(0, next-strings.Count(lines, "\n"))
}

// shownFrom reads the first number in "2-41 of 364" between two texts.
func shownFrom(s, before, after string) (from int, ok bool) {
	s, ok = strings.CutPrefix(s, before)
	s, closed := strings.CutSuffix(s, after)
	digits, _, is := strings.Cut(s, "-")
	from, err := strconv.Atoi(digits)
	return from, ok && closed && is && err == nil
}
