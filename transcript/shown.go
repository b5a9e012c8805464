package transcript

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"killick/transcript/partial"
)

// Shown describes the lines in the output of a call.
type Shown struct {
	Lines bool     // lines of files
	Paths []string // the files, as far as the call names them
	First int      // number of the first line within the file, 0 if unknown
	// Counted is set if First may instead be the number of lines before the first.
	Counted bool
	Whole   bool // one whole file
	Part    bool // the call asks for selected lines
	// Numbered is set if a line number may precede each line.
	Numbered bool
	// Mixed is set if not all lines are certainly of these files: other programs print too, or the
	// tool is in no table.
	Mixed bool

	folder string // that relative paths are in, as far as the call says; "" if it does not
	place  string // where the command runs, if that may not be here
}

// Elsewhere reports whether the files may be those of another place, such as a host or a container,
// since arguments beside the command may say where it runs.
func (s *Shown) Elsewhere() bool { return s.place != "" }

// Shows describes the output of a call of a tool that reads, or of a command that is known to do
// nothing else. Of a call that lists or searches, nothing is known.
func (c *Call) Shows() (s Shown) {
	switch {
	case c.part < 0 || c.loose || c.Effect == Reads && c.Lists():
	case c.Effect == Reads && len(c.Paths) == 1:
		s = Shown{Lines: true, Paths: []string{c.Paths[0].Name}, Part: c.Ranged()}
		s.Whole = c.Whole()
		s.First, s.Counted = c.firstLine()
		s.Numbered = c.Known()
		s.Mixed = !s.Numbered // it may say something about the file
	case c.OnlyReads():
		s = shownBy(c.readCommand().Programs, c.startFolder())
		s.place = c.place()
	}
	return s
}

// lineKeys are the parameter names for the number of the first line. Some tools count offsets from
// 0.
var lineKeys = set("start_line", "startLine", "line_start", "start", "from_line", "view_range",
	"offset", "line_offset")

// firstLine returns the number of the first line that a call asks for: 1 if it asks for the whole
// file or its beginning, 0 if the number is not known. counted is true if it may be an offset from
// 0.
func (c *Call) firstLine() (n int, counted bool) {
	for i := range c.Args {
		if a := &c.Args[i]; lineKeys[a.leaf()] && !a.isNull() {
			n, _ = strconv.Atoi(a.Text)
			return max(0, n), a.leaf() == "offset" || a.leaf() == "start" // below 0: from the end
		}
	}
	if c.Whole() || c.given() == 2 && c.argument("limit") != nil {
		return 1, false
	}
	return 0, false
}

// File returns the one file that the call names, with the folder that it enters. "" if there are
// several or none. The place follows if the file may be elsewhere.
func (s *Shown) File() string {
	if len(s.Paths) != 1 {
		return ""
	}
	name := s.Paths[0]
	if s.folder == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") {
		return name + s.place
	}
	return path.Join(s.folder, name) + s.place
}

// FileLines returns the lines of a file in the output of a call that reads it, without the tool's
// notices before and after them. from is the number of the first line as the tool states it, or
// else first. part is true if the tool states that these are not all lines.
func (c *Call) FileLines(output string, first int) (lines string, from int, part bool) {
	head, rest, _ := strings.Cut(output, "\n")
	if len(c.Paths) == 1 && head == "Content of "+c.Paths[0].Name+":" { // Continue 1.5.47
		return rest, first, false
	}
	if from, ok := shownFrom(head, "Showing lines ", " total lines."); ok { // qwen-code 0.24.4
		if rest, ok = strings.CutPrefix(rest, "\n---\n\n"); ok {
			return rest, from, true
		}
	}
	if lines, from, ok := behindHeader(output); ok {
		return lines, from, true
	}
	if c.tool == "readfile" && c.argument("file_path") != nil {
		if lines, from, part, ok := behindWindow(output); ok { // deepagents 1.14.1
			return lines, from, part
		}
	}
	if strings.HasPrefix(output, "File too large to read at once (") { // Copilot CLI 1.0.102
		return "", 0, true
	}
	if c.tool == "readfile" && c.argument("target_file") != nil {
		if lines, from, part, ok := withoutTenths(output); ok {
			return lines, from, part
		}
	}
	return withoutNotice(output, first)
}

// BetweenTags returns the numbered lines of a file between the tags that opencode (1.18.33) puts
// around them, "" for a folder. part is true if its note says that these are not all lines. ok is
// false if there are no such tags.
func BetweenTags(output string) (lines string, part, ok bool) {
	rest, tagged := strings.CutPrefix(output, "<path>")
	_, rest, named := strings.Cut(rest, "</path>\n<type>")
	if !tagged || !named {
		return "", false, false
	}
	if strings.HasPrefix(rest, "directory</type>\n") {
		return "", false, true
	}
	rest, isFile := strings.CutPrefix(rest, "file</type>\n<content>")
	rest, closed := strings.CutSuffix(strings.TrimRight(rest, "\n"), "\n</content>")
	note := strings.LastIndex(rest, "\n\n(")
	if !isFile || !closed || note < 0 || !strings.HasSuffix(rest, ")") {
		return "", false, false
	}
	return strings.TrimPrefix(rest[:note], "\n"),
		!strings.HasPrefix(rest[note:], "\n\n(End of file - total "), true
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

// behindWindow returns the lines of a file behind the header that deepagents (1.14.1) puts before
// them: "@@ lines 1-40 of 364 | next offset 40 @@". Notices may precede it. If it says that a line
// is not whole, none is returned.
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

// behindHeader returns the lines behind what gemini-cli (0.61.0) writes before a part of a file.
func behindHeader(output string) (lines string, from int, ok bool) {
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
	before, offset, is := strings.Cut(strings.Replace(notice, "Use read with ", "Use ", 1),
		". Use offset=")
	offset, rest, _ := strings.Cut(offset, ", ")
	next, isNumber := number(offset)
	if !ok || !is || !isNumber {
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
