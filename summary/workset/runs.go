package workset

import (
	"slices"
	"strings"
)

// run is lines that stood one after the other, without the space around each. The first and the
// last may be parts of lines. Those in [from, to) were replaced.
type run struct {
	lines    []string
	from, to int
}

// runOf returns the lines of a text in the place of which others stand. ok is false if they are
// fewer than two or say too little, or if none was replaced.
func runOf(text string, by []string) (r run, ok bool) {
	r.lines = strings.Split(strings.TrimSpace(text), "\n")
	if len(r.lines) < 2 || len(text) > maxText {
		return run{}, false
	}
	said := 0
	for i, l := range r.lines {
		r.lines[i] = strings.TrimSpace(l)
		said += len(content(l))
	}
	r.to = len(r.lines)
	for r.from < min(r.to, len(by)) && strings.TrimSpace(by[r.from]) == r.lines[r.from] {
		r.from++
	}
	for by = by[r.from:]; r.to > r.from && len(by) > 0 &&
		strings.TrimSpace(by[len(by)-1]) == r.lines[r.to-1]; by = by[:len(by)-1] {
		r.to--
	}
	return r, said >= leastBlock && r.to > r.from
}

// replaced reports for each of the lines of a block whether it was replaced later as one of a run.
// Newer text may have the line: it stands next to others there.
func (f *newerFile) replaced(lines []string) []bool {
	in := make([]bool, len(lines))
	for i := range f.runs {
		r := &f.runs[i]
		for at := 1 - len(r.lines); at < len(lines); at++ { // where the run would begin
			from, to := max(at, 0), min(at+len(r.lines), len(lines))
			if !r.stands(lines[from:to], from-at) {
				continue
			}
			for k := max(from, at+r.from); k < min(to, at+r.to); k++ {
				in[k] = true
			}
		}
	}
	return in
}

// leastShared is how many lines that count must be those of a run where it goes on beyond a block.
const leastShared = 2

// stands reports whether lines are those of the run from one of its lines on.
func (r *run) stands(lines []string, first int) bool {
	count := 0
	for i, l := range lines {
		l, want := strings.TrimSpace(l), r.lines[first+i]
		switch {
		case l == want:
		case first+i == 0 && strings.HasSuffix(l, want):
		case first+i == len(r.lines)-1 && strings.HasPrefix(l, want):
		default:
			return false
		}
		if counts(l) {
			count++
		}
	}
	return count >= leastShared || len(lines) == len(r.lines) && count > 0
}

// withoutShown takes from the ends of blocks the lines that newer ones of their file show in the
// same order.
func withoutShown(blocks []Block) []Block {
	shown := slices.Clone(blocks)
	for i := range shown {
		b := &shown[i]
		for k := range shown {
			newer := &shown[k]
			if b.Path == "" || newer.Path != b.Path || newer.At <= b.At {
				continue
			}
			from, to := sharedEnds(b.Lines, newer.Lines)
			if part, ok := b.part(b.Lines, from, to, b.First); ok && to-from < len(b.Lines) {
				*b = part
			}
		}
	}
	return shown
}

// sharedEnds returns what is left of lines without those at their ends that others have in the same
// order.
func sharedEnds(lines, others []string) (from, to int) {
	to = len(lines)
	for n := len(lines) - 1; n > 0; n-- {
		if from == 0 && has(others, lines[:n]) {
			from = n
		}
		if to == len(lines) && has(others, lines[len(lines)-n:]) {
			to = len(lines) - n
		}
	}
	return from, max(from, to)
}

// has reports whether lines have others one after the other, of which enough count.
func has(lines, others []string) bool {
	count := 0
	for _, l := range others {
		if counts(l) {
			count++
		}
	}
	for at := 0; count >= leastShared && at+len(others) <= len(lines); at++ {
		if slices.Equal(lines[at:at+len(others)], others) {
			return true
		}
	}
	return false
}
