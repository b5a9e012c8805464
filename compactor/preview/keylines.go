package preview

import (
	"slices"
	"strings"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/transcript"
	"killick/transcript/loglines"
)

// Some outputs have a few lines that matter most: the result of a run, the beginning and the end of
// a listing, the members of an object, the first and the last line of a page, a table or a log.
// Placeholders quote these lines.

// Limits of what is quoted.
const (
	MaxKeyLines   = 400 // bytes of all lines
	maxKeyLine    = 120 // bytes of one
	maxErrorLines = 3   // lines of a run that report a fault
)

// KeyLines returns the lines of an output that matter most, with at most room bytes in total.
func KeyLines(text string, call *transcript.Call, room int) (lines []string) {
	take := func(line string) {
		line = excerpt.Quote(line, maxKeyLine)
		if line != "" && len(line) <= room && !slices.Contains(lines, line) {
			lines = append(lines, line)
			room -= len(line)
		}
	}
	switch {
	case call.Lists():
		first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
		second, _, _ := strings.Cut(rest, "\n")
		take(first)
		take(second)
		take(lastLine(text))
	case call.Effect == transcript.Runs:
		shows := call.Shows().Lines
		if log := loglines.Of(text); !shows || log.Begin() {
			take(log.LastError())
		}
		if shows && !call.Failed() {
			break // lines of a file report nothing of the run
		}
		errors := 0
		for line := range strings.Lines(text) {
			if errors < maxErrorLines && reportsError(line) {
				take(line)
				errors++
			}
		}
		if last := lastLine(text); !shows && excerpt.HasWords(last) {
			take(last) // where the result is
		}
	case call.Effect == transcript.Other:
		if values := describe.Values(text, call, room); values != "" {
			return []string{values}
		}
		take(loglines.Of(text).LastError())
		first, rest := firstLine(text)
		if len(first) <= maxKeyLine {
			take(first) // a title, the names of columns, the outcome of a report
		}
		if strings.HasPrefix(first, "#") { // a heading of Markdown
			if second, _ := firstLine(rest); len(second) <= maxKeyLine {
				take(second)
			}
		}
		if last := lastLine(text); len(last) <= maxKeyLine && excerpt.HasWords(last) {
			take(last) // the state of a job in its log, the number of rows
		}
	}
	return lines
}

// firstLine returns the first line that has words, and what follows it.
func firstLine(text string) (first, rest string) {
	at := 0
	for line := range strings.Lines(text[:min(len(text), firstBytes)]) {
		at += len(line)
		if excerpt.HasWords(line) {
			return strings.TrimSpace(line), text[at:]
		}
	}
	return "", ""
}

// firstBytes limits how much of an output is searched for its first line.
const firstBytes = 1024

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
