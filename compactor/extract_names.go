package compactor

import (
	"slices"
	"strings"
)

// Named is what one output named: references that a later turn may need, with
// the call that shows them again.
type Named struct {
	Of    string   `json:"of"`
	Words []string `json:"words"`
}

// mention is a reference that outputs of a span named.
type mention struct {
	word  string
	kind  refKind
	calls int // outputs that named it
	times int
	last  int // the last call whose output did
}

func (m *mention) worth(calls int) int {
	recent := 8 * (m.last + 1) / max(calls, 1)
	return 4*int(m.kind) + 4*min(m.calls, 6) + min(m.times, 8) + recent
}

// readNames indexes what the outputs of the span named: the n references most
// likely to be needed again, each under the last call whose output held it.
// Those in told stand in the record anyway.
func readNames(v *view, calls []call, n int, told func(string) bool) []Named {
	if n <= 0 {
		return nil
	}
	index := map[string]int{}
	var all []mention
	for c := range calls {
		if calls[c].result < 0 {
			continue
		}
		eachRef(v.msgs[calls[c].result].Text(), func(word string, kind refKind) {
			i, ok := index[word]
			if !ok {
				i = len(all)
				index[word] = i
				all = append(all, mention{word: word, kind: kind, last: -1})
			}
			m := &all[i]
			m.times++
			if m.last != c {
				m.calls++
				m.last = c
			}
		})
	}
	all = slices.DeleteFunc(all, func(m mention) bool { return told(m.word) })
	slices.SortStableFunc(all, func(a, b mention) int { return b.worth(len(calls)) - a.worth(len(calls)) })
	all = all[:min(n, len(all))]
	slices.SortStableFunc(all, func(a, b mention) int { return b.last - a.last })
	var named []Named
	last := -1
	for _, m := range all {
		c := &calls[m.last]
		if m.last != last {
			last = m.last
			named = append(named, Named{Of: c.describe(80)})
		}
		if !strings.Contains(c.args, m.word) {
			list := &named[len(named)-1]
			list.Words = append(list.Words, m.word)
		}
	}
	return without(named, func(x Named) bool { return len(x.Words) == 0 })
}

// mergeNamed puts the newer index before the older; a word is told once. Past n
// words the oldest go.
func mergeNamed(old, new []Named, n int) []Named {
	seen := map[string]bool{}
	var all []Named
	for _, list := range [][]Named{new, old} {
		for _, x := range list {
			var words []string
			for _, w := range x.Words {
				if !seen[w] && len(seen) < n {
					seen[w] = true
					words = append(words, w)
				}
			}
			if len(words) > 0 {
				all = append(all, Named{Of: x.Of, Words: words})
			}
		}
	}
	return all
}

// namesText renders the index; it has a bound of its own, in words.
func namesText(named []Named) string {
	if len(named) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Named in outputs that are no longer here\n")
	for _, x := range named {
		b.WriteString("- " + x.Of + ": " + strings.Join(x.Words, ", ") + "\n")
	}
	return b.String()
}
