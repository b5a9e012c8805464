package compactor

import (
	"slices"
	"strings"

	"killick/chat"
)

// Named is what one output named: references that a later turn may need, with
// the call that shows them again.
type Named struct {
	Of    string   `json:"of"`
	Words []string `json:"words"`
}

// mention is a reference that stood in a span.
type mention struct {
	word  string
	kind  refKind
	calls int // outputs that named it
	used  int // times that the assistant or the user wrote it
	times int // times in outputs
	last  int // the last call whose arguments or output held it, -1 if none
}

func (m *mention) worth(calls int) int {
	recent := 8 * (m.last + 1) / max(calls, 1)
	return 3*int(m.kind) + 6*min(m.used, 4) + 3*min(m.calls, 6) + min(m.times, 6) + recent
}

// mentions counts references by where they stand.
type mentions struct {
	index map[string]int
	all   []mention
}

func (t *mentions) of(word string, kind refKind) *mention {
	i, ok := t.index[word]
	if !ok {
		i = len(t.all)
		t.index[word] = i
		t.all = append(t.all, mention{word: word, kind: kind, last: -1})
	}
	return &t.all[i]
}

// readNames indexes the references of the turns [from, to): the n most likely to
// be needed again, each under the last call whose arguments or output held it.
// What the agent wrote itself counts most: it is what it works with. Those in
// told stand in the record anyway.
func readNames(v *view, calls []call, from, to, n int, told func(string) bool) []Named {
	if n <= 0 {
		return nil
	}
	t := mentions{index: map[string]int{}}
	for i := from; i < to; i++ {
		if m := &v.msgs[i]; m.Role() == chat.Assistant || m.Role() == chat.User {
			eachRef(m.Text(), func(word string, kind refKind) { t.of(word, kind).used++ })
		}
	}
	for c := range calls {
		eachRef(strings.ReplaceAll(calls[c].args, `\n`, "\n"), func(word string, kind refKind) {
			m := t.of(word, kind)
			m.used++
			m.last = c
		})
		if calls[c].result < 0 {
			continue
		}
		seen := len(t.all)
		eachRef(v.msgs[calls[c].result].Text(), func(word string, kind refKind) {
			m := t.of(word, kind)
			m.times++
			if m.last != c || seen == 0 {
				m.calls++
				m.last = c
			}
		})
	}
	all := slices.DeleteFunc(t.all, func(m mention) bool { return told(m.word) })
	slices.SortStableFunc(all, func(a, b mention) int { return b.worth(len(calls)) - a.worth(len(calls)) })
	all = all[:min(n, len(all))]
	slices.SortStableFunc(all, func(a, b mention) int { return b.last - a.last })
	return underTheirCalls(all, calls)
}

func underTheirCalls(all []mention, calls []call) (named []Named) {
	for i, m := range all {
		if i == 0 || m.last != all[i-1].last {
			of := "said"
			if m.last >= 0 {
				of = calls[m.last].describe(80)
			}
			named = append(named, Named{Of: of})
		}
		if list := &named[len(named)-1]; !strings.Contains(list.Of, m.word) {
			list.Words = append(list.Words, m.word)
		}
	}
	return named
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
			if len(words) > 0 || !seen[x.Of] && len(seen) < n {
				seen[x.Of] = true
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
	b.WriteString("\n## Calls that are no longer here, and what they named\n")
	for _, x := range named {
		b.WriteString("- " + x.Of)
		if len(x.Words) > 0 {
			b.WriteString(": " + strings.Join(x.Words, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}
