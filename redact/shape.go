package redact

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// shape is the format of a credential: runs of characters of one class each, all greedy. It is
// written as a regular expression without alternatives and matched without backtracking, so that an
// attempt costs no more than what it reads.
type shape struct {
	before  []step // before the literal, last first
	literal string // the fixed characters that the format is recognized by
	after   []step
}

// step is a run of characters of one class.
type step struct {
	class    class
	min, max int
}

// class is a set of bytes.
type class [4]uint64

func (c *class) add(b byte)      { c[b>>6] |= 1 << (b & 63) }
func (c *class) has(b byte) bool { return c[b>>6]&(1<<(b&63)) != 0 }

func classOf(bytes string) (c class) {
	for i := range len(bytes) {
		c.add(bytes[i])
	}
	return c
}

// unbounded limits the length of a run without an upper limit: keys are not longer.
const unbounded = 4096

// compile returns the shape of a pattern, and panics if it is invalid: patterns are constants of
// this package.
func compile(pattern string) *shape {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(fmt.Sprintf("redact: pattern %q: %v", pattern, err))
	}
	var steps []step
	appendSteps(&steps, re, 1, 1)
	// The first run of at least two fixed characters is the literal.
	from, to := 0, 0
	for i := 0; i < len(steps) && to-from < 2; i = max(to, i+1) {
		for from, to = i, i; to < len(steps) && steps[to].fixed() >= 0; to++ {
		}
	}
	if to-from < 2 {
		panic(fmt.Sprintf("redact: pattern %q holds no fixed characters", pattern))
	}
	s := &shape{after: steps[to:]}
	for i := from - 1; i >= 0; i-- {
		s.before = append(s.before, steps[i])
	}
	for _, st := range steps[from:to] {
		s.literal += string(rune(st.fixed()))
	}
	return s
}

func appendSteps(steps *[]step, re *syntax.Regexp, least, most int) {
	switch re.Op {
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			appendSteps(steps, sub, 1, 1)
		}
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			*steps = append(*steps, step{classOf(string(r)), least, most})
		}
	case syntax.OpCharClass:
		var c class
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				c.add(byte(r))
			}
		}
		*steps = append(*steps, step{c, least, most})
	case syntax.OpRepeat:
		if re.Max < 0 {
			re.Max = unbounded
		}
		appendSteps(steps, re.Sub[0], re.Min, re.Max)
	case syntax.OpQuest:
		appendSteps(steps, re.Sub[0], 0, 1)
	default:
		panic(fmt.Sprintf("redact: %s is no run of one class", re))
	}
}

// fixed returns the only character of a step's class, -1 if there are several.
func (s *step) fixed() int {
	if s.min != 1 || s.max != 1 {
		return -1
	}
	only := -1
	for b := range 256 {
		if s.class.has(byte(b)) {
			if only >= 0 {
				return -1
			}
			only = b
		}
	}
	return only
}

// match returns where the text has the shape with its literal at offset at, and where the part
// after the literal starts. It matches nothing before past. A value that was cut with an ellipsis
// still counts, since summaries cut values.
func (s *shape) match(text string, at, past int) (start, body, end int, ok bool) {
	if !strings.HasPrefix(text[at:], s.literal) {
		return 0, 0, 0, false
	}
	start, body = at, at+len(s.literal)
	for i := range s.before {
		st, n := &s.before[i], 0
		for n < st.max && start > past && st.class.has(text[start-1]) {
			start--
			n++
		}
		if n < st.min {
			return 0, 0, 0, false
		}
	}
	end = body
	for i := range s.after {
		st, n := &s.after[i], 0
		for n < st.max && end < len(text) && st.class.has(text[end]) {
			end++
			n++
		}
		if n < st.min {
			cut := strings.HasPrefix(text[end:], "…") && end-body >= minCut
			return start, body, end, cut
		}
	}
	if n := len(s.after); n > 0 && end < len(text) && s.after[n-1].class.has(text[end]) {
		return 0, 0, 0, false // longer than the format allows: something else
	}
	return start, body, end, true
}

// minCut is how much of a cut credential must be left for it to count.
const minCut = 12

func isAlnum(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' }

func isHex(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'f' || '0' <= b && b <= '9' }
