package results

import (
	"strconv"
	"strings"
	"unicode"

	"killick/transcript/partial"
)

// FileLines returns the lines of a file in the output of a call that reads it, without the tool's
// notices before and after them. path is the file, "" if the call does not name one. from is the
// number of the first line as the tool states it, or else first. part is true if the tool states
// that these are not all lines.
func (c *Call) FileLines(
	output, path string, first int,
) (lines string, from int, part bool) {
	head, rest, _ := strings.Cut(output, "\n")
	if path != "" && head == "Content of "+path+":" { // Continue 1.5.47
		return rest, first, false
	}
	if from, ok := shownFrom(head, "Showing lines ", " total lines."); ok { // qwen-code 0.24.4
		if rest, ok = strings.CutPrefix(rest, "\n---\n\n"); ok {
			return rest, from, true
		}
	}
	if lines, from, ok := afterHeader(output); ok {
		return lines, from, true
	}
	if window, ok := strings.CutPrefix(head, "[Reading "); ok { // desktop-commander 0.2.52
		if lines, more := strings.CutPrefix(rest, "\n"); more {
			if from, part, ok := readWindow(window); ok {
				return lines, from, part
			}
		}
	}
	if c.Tool == "readfile" && c.Has("file_path") {
		if lines, from, part, ok := afterWindow(output); ok { // deepagents 1.14.1
			return lines, from, part
		}
	}
	if strings.HasPrefix(output, "File too large to read at once (") { // Copilot CLI 1.0.102
		return "", 0, true
	}
	if c.Tool == "readfile" && c.Has("target_file") {
		if lines, from, part, ok := withoutTenths(output); ok {
			return lines, from, part
		}
	}
	return withoutNotice(output, first)
}

// readWindow reads what desktop-commander (0.2.52) writes before the lines of a file: "[Reading 60
// lines from start (total: 160 lines, 100 remaining)]", "… from line 60 (…", counted from 0, or
// "[Reading last 20 lines (total: 160 lines)]".
func readWindow(s string) (from int, part, ok bool) {
	window, counts, stated := strings.Cut(s, " (total: ")
	all, rest, _ := strings.Cut(counts, " lines")
	total, counted := number(all)
	if count, ok := strings.CutPrefix(window, "last "); ok {
		n, isNumber := number(strings.TrimSuffix(count, " lines"))
		return total - n + 1, n != total, stated && counted && isNumber && n <= total &&
			rest == ")]"
	}
	count, place, _ := strings.Cut(window, " lines from ")
	n, isNumber := number(count)
	before, isPlace := 0, place == "start"
	if line, ok := strings.CutPrefix(place, "line "); ok {
		before, isPlace = number(line)
	}
	return before + 1, n != total, stated && counted && isNumber && isPlace &&
		strings.HasSuffix(rest, " remaining)]")
}

// withoutTenths returns lines without the numbers that Grok Build (1.0.41) puts before the first
// line that it shows and before each tenth line of the file: "8→a", "b", "10→c". It shows 1,000
// lines at most, and does not say so.
func withoutTenths(output string) (lines string, from int, part, ok bool) {
	const arrow, most = "→", 1000
	var b strings.Builder
	n := 0
	for line := range strings.Lines(output) {
		digits, text, found := strings.Cut(line, arrow)
		stated, isNumber := number(digits)
		found = found && isNumber
		switch {
		case n == 0 && found:
			from = stated
		case n == 0, found != ((from+n)%10 == 0), found && stated != from+n:
			return "", 0, false, false
		}
		if !found {
			text = line
		}
		b.WriteString(text)
		n++
	}
	return b.String(), from, n >= most, n > 0
}

// afterWindow returns the lines of a file after the header that deepagents (1.14.1) puts before
// them: "@@ lines 1-40 of 364 | next offset 40 @@". Notices may precede it. If it says that a line
// is not whole, none is returned.
func afterWindow(output string) (lines string, from int, part, ok bool) {
	for range 3 {
		first, rest, _ := strings.Cut(output, "\n")
		if fields, is := strings.CutPrefix(first, "@@ "); is {
			fields, is = strings.CutSuffix(fields, " @@")
			window, more, _ := strings.Cut(fields, " | ")
			from, last, total, counted := windowOf(window)
			if !is || !counted {
				return "", 0, false, false
			}
			if strings.HasPrefix(more, "truncated mid-line | ") {
				return "", from, true, true // a part of one line
			}
			return rest, from, from > 1 || last != total, true
		}
		if !strings.HasPrefix(first, "[") {
			break
		}
		output = strings.TrimPrefix(rest, "\n")
	}
	return "", 0, false, false
}

// windowOf reads "lines 1-40 of 364". The total may be missing.
func windowOf(s string) (from, last, total int, ok bool) {
	s, ok = strings.CutPrefix(s, "lines ")
	window, of, counted := strings.Cut(s, " of ")
	first, to, _ := strings.Cut(window, "-")
	from, isFrom := number(first)
	last, isLast := number(to)
	isTotal := !counted
	if counted {
		total, isTotal = number(of)
	}
	return from, last, total, ok && isFrom && isLast && isTotal
}

// afterHeader returns the lines after what gemini-cli (0.61.0) writes before a part of a file.
func afterHeader(output string) (lines string, from int, ok bool) {
	const (
		notice = "\nIMPORTANT: The file content has been truncated.\nStatus: "
		begin  = "\n--- FILE CONTENT (truncated) ---\n"
	)
	rest, ok := strings.CutPrefix(output, notice)
	if !ok {
		return "", 0, false
	}
	status, rest, _ := strings.Cut(rest, "\n")
	from, isFrom := shownFrom(status, "Showing lines ", " total lines.")
	_, lines, found := strings.Cut(rest, begin)
	return lines, from, isFrom && found
}

// withoutNotice removes the line that is appended to a part of a file, by pi (0.87.1): "[324 more
// lines in file. Use offset=41 to continue.]", "[Showing lines 1-40 of 364. Use offset=41 to
// continue.]", by OpenClaw (2026.9.6) also "[Read output capped at 128KB for this call. Use
// offset=41 to continue.]", with "offset=41, cursor=90" if the last line is not whole, and by
// Copilot CLI (1.0.102): "[Output truncated. Use view_range=[550, ...] to continue reading. …]".
func withoutNotice(output string, first int) (lines string, from int, part bool) {
	end := strings.TrimRightFunc(output, unicode.IsSpace)
	at := strings.LastIndexByte(end, '\n') + 1
	last := end[at:]
	if !strings.HasPrefix(last, "[") || !strings.HasSuffix(end[:at], "\n\n") {
		return output, first, false
	}
	if strings.HasPrefix(last, "[Output truncated. Use view_range=[") &&
		strings.HasSuffix(last, "]") {
		return partial.WholeLines(output[:at-len("\n\n")]), first, true
	}
	if lines, from, ok := beforeDroidWindow(output, at, last); ok {
		return lines, from, true
	}
	notice, ok := strings.CutSuffix(last, " to continue.]")
	before, offset, _ := strings.Cut(strings.Replace(notice, "Use read with ", "Use ", 1),
		". Use offset=")
	offset, rest, _ := strings.Cut(offset, ", ")
	next, isNumber := number(offset)
	if !ok || !isNumber {
		return output, first, false
	}
	if _, of := shownFrom(before, "[Showing lines ", ""); !of &&
		!strings.HasSuffix(before, " more lines in file") &&
		!strings.HasPrefix(before, "[Showing part of line ") &&
		!(strings.HasPrefix(before, "[Read output capped at ") &&
			strings.HasSuffix(before, " for this call")) {
		return output, first, false
	}
	if lines = output[:at-1]; strings.HasPrefix(rest, "cursor=") {
		lines = partial.WholeLines(lines[:len(lines)-1])
	}
	return lines, max(0, next-strings.Count(lines, "\n")), true
}

// shownFrom reads the first number in "2-41 of 364" between two texts.
func shownFrom(s, before, after string) (from int, ok bool) {
	s, ok = strings.CutPrefix(s, before)
	s, closed := strings.CutSuffix(s, after)
	digits, _, is := strings.Cut(s, "-")
	from, err := strconv.Atoi(digits)
	return from, ok && closed && is && err == nil
}

// beforeDroidWindow returns the lines before the notice of Droid (0.215.0) that these are a part of
// a file: "[Showing lines 100-119 of 301 total lines]". It is the last line of output and begins at
// the byte at. If it says that the lines were truncated to a number of characters, the last one is
// not whole.
func beforeDroidWindow(output string, at int, notice string) (lines string, from int, ok bool) {
	window, closed := strings.CutSuffix(notice, "]")
	window, cut, isCut := strings.Cut(window, ", truncated to ")
	from, ok = shownFrom(window, "[Showing lines ", " total lines")
	if !ok || !closed || isCut && !strings.HasSuffix(cut, " characters") {
		return "", 0, false
	}
	lines = output[:at-1]
	if isCut {
		lines = partial.WholeLines(lines[:len(lines)-1])
	}
	return lines, from, true
}
