package workset

import (
	"slices"
	"strconv"
	"strings"
)

// Limits on the lines that tools put around numbered lines.
const (
	leastNumbered = 3
	maxAround     = 8 // lines before them, between them, and after them
)

// withoutNumbers removes the numbers that a reading tool put before the lines, if they are
// consecutive. A few lines before and after the numbered ones are then the tool's own, and are left
// out. Where the tool left lines out, the numbers jump: what is on either side is a source of its
// own. ok is false if no numbers precede the lines.
func (s *source) withoutNumbers() (parts []source, ok bool) {
	runs, ok := s.numbered()
	if !ok {
		return nil, false
	}
	part := slices.ContainsFunc(s.lines[runs[len(runs)-1].to:], func(l string) bool {
		return strings.Contains(l, "Showing lines ") // opencode 1.18.33, Cline 3.0.65
	})
	colon := slices.ContainsFunc(s.lines, colonAlone)
	parts = make([]source, len(runs))
	for i, r := range runs {
		p := *s
		p.From, p.lines = s.From+r.from, make([]string, r.to-r.from)
		for k := range p.lines {
			l, cut := s.lines[r.from+k], r.cut[k]
			if colon && strings.HasSuffix(l[:cut], ": ") {
				cut-- // the space is the line's own
			}
			p.lines[k] = l[cut:]
		}
		p.first = r.first
		p.whole = s.whole && len(runs) == 1 && !part
		parts[i] = p
	}
	return parts, true
}

// numbers is a run of the lines [from, to) that begin with consecutive numbers.
type numbers struct {
	from, to int
	first    int   // the first number
	cut      []int // where each line begins after its number
}

// numbered returns the runs of the lines. ok is false if the numbers are those of the text itself,
// or may be: if too many lines have none, or if they do not increase from run to run. The last line
// before other lines is left out, since what was left out may begin within it.
func (s *source) numbered() (runs []numbers, ok bool) {
	count, without := 0, 0
	for at := 0; at < len(s.lines); {
		r := s.run(at)
		if n := r.to - at; n < leastNumbered && !(n > 0 && n == len(s.lines)) {
			if without++; without > maxAround {
				return nil, false
			}
			at++
			continue
		}
		if len(runs) > 0 {
			last := &runs[len(runs)-1]
			if r.first < last.first+len(last.cut) {
				return nil, false
			}
			if r.from > last.to {
				last.to--
			}
		}
		runs, without = append(runs, r), 0
		count += r.to - at
		at = r.to
	}
	others := len(s.lines) - count
	return runs, count > others
}

// run returns the lines from one on that begin with consecutive numbers.
func (s *source) run(from int) numbers {
	r := numbers{from: from, to: from}
	for i, l := range s.lines[from:] {
		number, end, ok := cutNumber(l)
		if i == 0 {
			r.first = number
		}
		if !ok || number != r.first+i {
			break
		}
		r.cut = append(r.cut, end)
		r.to++
	}
	return r
}

// colonAlone reports whether a colon without a space is between the number of a line and its text:
// the tool puts no space after the number of any line then.
func colonAlone(l string) bool {
	_, end, ok := cutNumber(l)
	return ok && end < len(l) && l[end-1] == ':'
}

// separators are between the number of a line and the line.
var separators = []string{"→", "\t", " | ", "|", ": ", ":"}

// cutNumber returns the number of "   12→text", and where the text begins.
func cutNumber(l string) (n, end int, ok bool) {
	blanks := len(l) - len(strings.TrimLeft(l, " "))
	for end = blanks; end < len(l) && '0' <= l[end] && l[end] <= '9'; {
		end++
	}
	if end == blanks || end > blanks+7 {
		return 0, 0, false
	}
	n, _ = strconv.Atoi(l[blanks:end])
	i := slices.IndexFunc(separators, func(sep string) bool {
		return strings.HasPrefix(l[end:], sep)
	})
	if i < 0 {
		return n, end, end == len(l)
	}
	return n, end + len(separators[i]), true
}
