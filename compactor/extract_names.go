package compactor

import (
	"slices"
	"strings"

	"killick/chat"
)

// Name is a reference that a later turn may need, under the last call whose
// arguments or output held it.
type Name struct {
	Word  string `json:"word"`
	Of    string `json:"of,omitempty"` // the call; "" for what was only said
	At    int    `json:"at"`           // the message that makes the call
	Score int    `json:"score"`
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

// readNames indexes the references of the turns [from, to), the n most likely to
// be needed again. What the agent wrote itself counts most: it is what it works
// with.
func readNames(v *view, calls []call, from, to, n int) []Name {
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
		eachRef(v.original(calls[c].result).Text(), func(word string, kind refKind) {
			m := t.of(word, kind)
			m.times++
			if m.last != c {
				m.calls++
				m.last = c
			}
		})
	}
	slices.SortStableFunc(t.all, func(a, b mention) int { return b.worth(len(calls)) - a.worth(len(calls)) })
	names := make([]Name, min(n, len(t.all)))
	for i := range names {
		m := &t.all[i]
		names[i] = Name{Word: m.word, Score: m.worth(len(calls))}
		if m.last >= 0 {
			c := &calls[m.last]
			names[i].Of, names[i].At = c.describe(80), c.caller
		}
	}
	return names
}

// mergeNames adds the scores of both; older ones fade. The n best are kept.
func mergeNames(old, new []Name, n int) []Name {
	all := slices.Clone(new)
	index := make(map[string]int, len(all))
	for i := range all {
		index[all[i].Word] = i
	}
	for _, name := range old {
		name.Score = name.Score * 3 / 4
		if i, ok := index[name.Word]; ok {
			all[i].Score += name.Score
		} else {
			all = append(all, name)
		}
	}
	slices.SortStableFunc(all, func(a, b Name) int { return b.Score - a.Score })
	return all[:min(n, len(all))]
}

// untold returns the first n names that text does not hold.
func untold(names []Name, text []byte, n int) (left []Name) {
	told := map[string]bool{}
	eachRef(unescaped(text), func(word string, _ refKind) { told[word] = true })
	for _, name := range names {
		if len(left) < n && !told[name.Word] {
			left = append(left, name)
		}
	}
	return left
}

// namesIn returns the references that a record tells, with what is known of
// them.
func namesIn(record []byte, known []Name) (names []Name) {
	index := make(map[string]int, len(known))
	for i := range known {
		index[known[i].Word] = i
	}
	seen := map[string]bool{}
	eachRef(unescaped(record), func(word string, _ refKind) {
		if seen[word] {
			return
		}
		seen[word] = true
		name := Name{Word: word}
		if i, ok := index[word]; ok {
			name = known[i]
		}
		names = append(names, name)
	})
	return names
}

// namesText renders the index, the newest call first; it has a bound of its own,
// in words.
func namesText(names []Name) string {
	if len(names) == 0 {
		return ""
	}
	byCall := slices.Clone(names)
	slices.SortStableFunc(byCall, func(a, b Name) int { return b.At - a.At })
	var b strings.Builder
	b.WriteString("\n## Calls that are no longer here, and what they named\n")
	of := "\x00"
	for _, name := range byCall {
		if name.Of != of {
			if of != "\x00" {
				b.WriteByte('\n')
			}
			of = name.Of
			b.WriteString("- " + orElse(of, "said") + ":")
		}
		if !strings.Contains(of, name.Word) {
			b.WriteString(" " + name.Word)
		}
	}
	b.WriteByte('\n')
	return b.String()
}
