package workset

import (
	"slices"
	"strings"
)

// run is a sequence of trimmed lines, of which an edit replaced those in [from, to). The first and
// the last may be parts of lines.
type run struct {
	lines    []string
	from, to int
}

// runOf returns the lines of a text that an edit replaced by others. ok is false if there are fewer
// than two lines or too little content, or if no line was replaced.
func runOf(text string, by []string) (r run, ok bool) {
	r.lines = strings.Split(strings.TrimSpace(text), "\n")
	if len(r.lines) < 2 || len(text) > maxText {
		return run{}, false
	}
	size := 0
	for i, l := range r.lines {
		r.lines[i] = strings.TrimSpace(l)
		size += len(content(l))
	}
	r.to = len(r.lines)
	for r.from < min(r.to, len(by)) && strings.TrimSpace(by[r.from]) == r.lines[r.from] {
		r.from++
	}
	for by = by[r.from:]; r.to > r.from && len(by) > 0 &&
		strings.TrimSpace(by[len(by)-1]) == r.lines[r.to-1]; by = by[:len(by)-1] {
		r.to--
	}
	return r, size >= leastBlock && r.to > r.from
}

// replaced reports for each line of a block whether a later edit replaced it as part of a run.
// Newer text may contain the line, next to other lines.
func (f *newerFile) replaced(lines []string) []bool {
	in := make([]bool, len(lines))
	if len(f.runs) == 0 {
		return in
	}
	trimmed := make([]string, len(lines))
	for i, l := range lines {
		trimmed[i] = strings.TrimSpace(l)
	}
	for i := range f.runs {
		r := &f.runs[i]
		for at := 1 - len(r.lines); at < len(lines); at++ { // the line at which the run would begin
			from, to := max(at, 0), min(at+len(r.lines), len(lines))
			start, end := max(from, at+r.from), min(to, at+r.to)
			if start >= end || !slices.Contains(in[start:end], false) {
				continue // it would replace none of these lines, or they are replaced already
			}
			gone := in[start:end]
			same, steps := r.matches(trimmed[from:to], from-at)
			f.compared += steps
			if same {
				for k := range gone {
					gone[k] = true
				}
			}
		}
	}
	return in
}

// leastShared is how many lines with content must match where a run extends beyond a block.
const leastShared = 2

// matches reports whether trimmed lines equal those of the run from line first on, and how many
// were compared.
func (r *run) matches(lines []string, first int) (same bool, compared int) {
	count := 0
	for i, l := range lines {
		want := r.lines[first+i]
		switch {
		case l == want:
		case first+i == 0 && strings.HasSuffix(l, want):
		case first+i == len(r.lines)-1 && strings.HasPrefix(l, want):
		default:
			return false, i + 1
		}
		if counts(l) {
			count++
		}
	}
	return count >= leastShared || len(lines) == len(r.lines) && count > 0, len(lines)
}
