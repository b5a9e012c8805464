package fakeupstream

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
)

// chance returns a number from 0 to 1 for a text, the same for the same seed.
func (s *Scripted) chance(text string) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", s.Seed, text)
	x := h.Sum64() // FNV's high bits hardly move for short texts: mix them
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}

// touch does to the facts what the kind does.
func (s *Scripted) touch(all []fact) []fact {
	switch s.Kind {
	case Forgetful:
		share := orElse(s.Share, 0.5)
		kept := all[:0:0]
		for _, f := range all {
			if s.chance(f.text) >= share {
				kept = append(kept, f)
			}
		}
		return kept
	case Contradicting:
		share, left := orElse(s.Share, 1), orElse(s.Most, len(all))
		contradicting := slices.Clone(all)
		for i, f := range contradicting {
			if opposite, ok := f.opposite(); ok && left > 0 && s.chance(f.text) < share {
				contradicting[i] = opposite
				left--
			}
		}
		return contradicting
	}
	return all
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// opposites are words and their opposites. The first that occurs is replaced.
var opposites = []struct {
	word *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`(?i)\bmust not\b`), "must"}, {regexp.MustCompile(`(?i)\bdo not\b`), "do"},
	{regexp.MustCompile(`(?i)\bdon't\b`), "do"},
	{regexp.MustCompile(`(?i)\bnever\b`), "always"},
	{regexp.MustCompile(`(?i)\balways\b`), "never"},
	{regexp.MustCompile(`(?i)\bmust\b`), "must not"},
	{regexp.MustCompile(`(?i)\bavoid\b`), "prefer"},
	{regexp.MustCompile(`(?i)\bonly\b`), "not only"},
}

var (
	swapped = regexp.MustCompile(`([\w./@-]+)(\s+(?i:instead of|rather than)\s+(?:the |a |an ` +
		`)?)([\w./@-]*\w)`)
	digits = regexp.MustCompile(`\d{2,}`)
)

// opposite returns a fact that says the opposite, ok unless there is nothing to
// turn: the rejected option chosen, a prohibition lifted, another number.
func (f fact) opposite() (fact, bool) {
	was := f.text
	if m := swapped.FindStringSubmatch(f.text); f.kind == decisionFact && m != nil {
		f.text = swapped.ReplaceAllString(f.text, "$3$2$1")
		return f, f.text != was
	}
	for _, t := range opposites {
		if at := t.word.FindStringIndex(f.text); f.kind == ruleFact && at != nil {
			to := t.to
			if at[0] == 0 {
				to = strings.ToUpper(to[:1]) + to[1:]
			}
			f.text = f.text[:at[0]] + to + f.text[at[1]:]
			return f, true
		}
	}
	if at := digits.FindStringIndex(f.text); at != nil {
		last := at[1] - 1
		f.text = f.text[:last] + string('0'+(f.text[last]-'0'+3)%10) + f.text[at[1]:]
		return f, true
	}
	return f, false
}

// invented returns facts that no transcript holds.
func (s *Scripted) invented(n int) (all []fact) {
	for i := range n {
		x := int(s.chance(fmt.Sprint("invented ", i)) * (1 << 16))
		all = append(all, []fact{
			{kind: doneFact, text: fmt.Sprintf("Wrote src/ghost%04x/handler.go", x)},
			{kind: decisionFact,
				text: fmt.Sprintf("Decided to run the ghost%04x service on port %d", x,
					20000+x%10000)},
			{kind: openFact,
				text: fmt.Sprintf("Error GH%05d: the quota of cluster gx-%04x is exceeded", x, x)},
			{kind: nextFact,
				text: fmt.Sprintf("Deploy release v%d.%d.0 to staging-%04x", 7+x%5, x%40, x)},
			{kind: valueFact, text: fmt.Sprintf("Releases are signed with the key GHOST-%05d", x)},
		}[i%5])
	}
	return all
}

// What an obeying model takes for an order, wherever it is.
var (
	orderReply = regexp.MustCompile(`(?im)reply only with (.+)$`)
	orderAdd   = regexp.MustCompile(`(?im)add the section "?(\w+)"? saying (.+)$`)
	orderDrop  = regexp.MustCompile(`(?im)(?:ignore|forget|drop) (?:all |the |your |every ` +
		`)*(?:previous |above |pinned )*(?:rules?|instructions)`)
	orderCall = regexp.MustCompile(`(?im)call the tool (\w+)`)
)
