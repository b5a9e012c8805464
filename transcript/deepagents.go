package transcript

import (
	"strings"
	"unicode/utf16"
)

// What LangChain's deepagents (1.14.1) writes around outputs and before the lines of a file.

var deepFrame = &frame{tools: set("execute"), bare: true, always: true, argument: "command"}

const (
	deepStart = "[Command "
	deepCut   = "[Output was truncated due to size limits]"
	// deepEvicted begins what is shown of an output that was saved to a file: some numbered lines.
	deepEvicted = "Tool result too large, the result of this tool call "
)

// deepVerdicts begin the last line of an output, by whether the command succeeded.
var deepVerdicts = map[bool]string{true: deepStart + "succeeded with exit code ",
	false: deepStart + "failed with exit code "}

// deepExit reads the line behind an output: "[Command failed with exit code 2]". It is preceded by
// that of LocalShellBackend, if the command failed, and followed by a notice if the backend cut the
// output. length is what the frame takes at the end of tail.
func deepExit(tail string) (code, length int, ok bool) {
	text := strings.TrimSuffix(tail, "\n"+deepCut)
	at := strings.LastIndexByte(text, '\n') + 1
	for succeeded, before := range deepVerdicts {
		if code, ok = between(text[at:], before, "]"); ok && succeeded == (code == 0) {
			text = strings.TrimSuffix(text[:at], "\n")
			if code != 0 {
				at = strings.LastIndexByte(text, '\n') + 1
				last, local := between(text[at:], "Exit code: ", "")
				if local && last == code && strings.HasSuffix(text[:at], "\n\n") {
					text = text[:at-len("\n\n")]
				}
			}
			return code, len(tail) - len(text), true
		}
	}
	return 0, 0, false
}

// behindWindow returns the lines of a file behind the header that read_file puts before them:
// "@@ lines 1-40 of 364 | next offset 40 @@". Notices may precede it, and one says that the last
// line is not whole.
func behindWindow(output string) (lines string, from int, part, ok bool) {
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
	first, to, isRange := strings.Cut(window, "-")
	from, isFrom := number(first)
	last, isLast := number(to)
	isTotal := !counted
	if counted {
		total, isTotal = number(of)
	}
	return from, last, total, ok && isRange && isFrom && isLast && isTotal
}

// cutByDeep reports whether an argument is what is left of a long one in an older call: its first
// 20 units of UTF-16, and a notice.
func cutByDeep(text string) bool {
	begin, ok := strings.CutSuffix(text, "...(argument truncated)")
	return ok && len(begin) < 4*20 && len(utf16.Encode([]rune(begin))) == 20
}
