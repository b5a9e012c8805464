package workset

import "strings"

// Limits on what is remembered of a file: each of its blocks is compared with all of it.
const (
	maxParts    = 64   // replaced parts of lines, and runs of lines
	maxRunLines = 4096 // lines of all runs together
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
