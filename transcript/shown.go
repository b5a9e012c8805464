package transcript

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/transcript/shell"
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

// FileLines returns the lines of a file in the output of a call that reads it: see
// [results.Call.FileLines].
func (c *Call) FileLines(output string, first int) (lines string, from int, part bool) {
	path := ""
	if len(c.Paths) == 1 {
		path = c.Paths[0].Name
	}
	return c.reading().FileLines(output, path, first)
}

// What a command shows, if all its programs only show something, follows from their arguments.

// printers are the programs that print lines of files, each with its options whose value is the
// next argument.
var printers = map[string]map[string]bool{
	"cat": nil, "sed": nil, "less": nil, "more": nil,
	"head": set("-n", "-c", "--lines", "--bytes"),
	"tail": set("-n", "-c", "--lines", "--bytes"),
	"nl":   set("-b", "-d", "-f", "-h", "-i", "-l", "-n", "-s", "-v", "-w"),
	"bat": set("-r", "--line-range", "-l", "--language", "-H", "--highlight-line", "--theme",
		"--style"),
}

// addresses are scripts of sed that print lines and do nothing else: "12,40p", "/from/,/to/p;$p".
var addresses = regexp.MustCompile(`^(?:(?:\d+|\$|/[^/]+/)(?:,(?:\d+|\$|/[^/]+/))?p;?)+$`)

// prints reports whether a program prints lines of its files as they are: cat without options that
// make characters visible, and sed with nothing but addresses of the lines to print.
func prints(p *shell.Program) bool {
	switch p.Name {
	case "cat":
		return !slices.ContainsFunc(p.Args, func(a shell.Argument) bool {
			return strings.HasPrefix(a.Text, "-") && a.Text != "-n" && a.Text != "-"
		})
	case "sed":
		return len(p.Args) > 1 && p.Args[0].Text == "-n" && addresses.MatchString(p.Args[1].Text)
	}
	_, is := printers[p.Name]
	return is
}

// shownBy describes the output of programs that only read. Of several, the first that is not "cd"
// decides. folder is where they run, if that is known.
func shownBy(programs []shell.Program, folder string) (s Shown) {
	all := true // files are named
	for i := range programs {
		p := &programs[i]
		first := ""
		if len(p.Args) > 0 {
			first = p.Args[0].Text
		}
		if p.Name == "cd" {
			if len(p.Args) == 1 && !p.Args[0].Pattern && len(s.Paths) == 0 {
				if strings.HasPrefix(first, "/") || strings.HasPrefix(first, "~") {
					folder = ""
				}
				folder = path.Join(folder, first)
			}
			continue
		}
		verbatim, before := prints(p), len(s.Paths)
		s.Mixed = s.Mixed || !verbatim
		if verbatim {
			s.Numbered = s.Numbered || p.Name == "nl" || p.Name == "bat" ||
				p.Name == "cat" && first == "-n"
			all = s.addFiles(p) && all
			s.Lines = s.Lines || !p.Input || len(s.Paths) > before // else it passes its input on
		}
	}
	if !all { // which of them a line is from is not known
		s.Paths, s.First, s.Whole = nil, 0, false
	}
	s.Mixed = s.Mixed && s.Lines
	s.folder = folder
	return s
}

// filesOf returns the arguments of a printer that are files.
func filesOf(p *shell.Program) (files []shell.Argument) {
	args := p.Args
	if p.Name == "sed" {
		args = args[2:] // after -n and the script
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i].Text; {
		case len(a) < 2 || a[0] != '-' && a[0] != '+':
			files = append(files, args[i])
		case printers[p.Name][a]:
			i++
		}
	}
	return files
}

// addFiles adds the files that a printer names. It reports whether these are all: a pattern names
// none, nor does what a program reads from its input.
func (s *Shown) addFiles(p *shell.Program) (all bool) {
	before, all := len(s.Paths), true
	for _, a := range filesOf(p) {
		if w := a.Text; !a.Pattern && w != "-" && isPath(w) {
			s.Paths = append(s.Paths, w)
		} else {
			all = false
		}
	}
	if len(s.Paths) != 1 || before != 0 {
		s.First, s.Whole = 0, false
		return all
	}
	switch p.Name {
	case "cat":
		s.First, s.Whole = 1, len(p.Args) == 1
	case "head":
		s.First, s.Part = 1, true
	case "sed":
		s.Part = true
		from, _, _ := strings.Cut(p.Args[1].Text, ",")
		if n, err := strconv.Atoi(strings.TrimSuffix(from, "p")); err == nil && len(p.Args) == 3 &&
			strings.Count(p.Args[1].Text, "p") == 1 {
			s.First = n
		}
	}
	return all
}
