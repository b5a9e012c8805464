package transcript

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/transcript/shell"
)

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
