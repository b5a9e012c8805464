package compactor

import (
	"slices"
	"strings"
)

// maxExams bounds how often an account is examined and relieved of its faults.
// One that is still faulty then is not used at all.
const maxExams = 3

// proven returns the account without what exam finds faulty, nil if too much is,
// and counts that. An entry leaves whole; of the intent and the state, the
// sentences.
func (a *Account) proven(exam func(statements []string) (invented, turned []int)) (*Account, Refused) {
	var refused Refused
	for range maxExams {
		lines := a.statements()
		invented, turned := exam(lines)
		if len(invented)+len(turned) == 0 {
			return a, refused
		}
		refused.Invented += len(invented)
		faulty := map[string]bool{}
		for _, i := range invented {
			faulty[lines[i]] = true
		}
		for _, i := range turned {
			if !faulty[lines[i]] {
				refused.Contradicting++
			}
			faulty[lines[i]] = true
		}
		a = a.relieved(faulty)
	}
	return nil, refused
}

// statements are what the account says, line by line, under headings that tell
// what is done from what is to come.
func (a *Account) statements() (lines []string) {
	add := func(title string, entries ...string) {
		if len(entries) > 0 {
			lines = append(append(lines, "# "+title), entries...)
		}
	}
	add("Told", slices.Concat(sentencesOf(a.Intent), sentencesOf(a.State))...)
	var decided []string
	for _, d := range a.Decisions {
		decided = append(decided, d.Text)
	}
	add("Decided", decided...)
	add("Completed", a.Completed...)
	add("Tried", a.Failed...)
	add("Asked", a.Open...)
	add("Next", a.Next...)
	return lines
}

func sentencesOf(text string) (all []string) {
	sentences(text, func(s string) bool {
		all = append(all, s)
		return true
	})
	return all
}

// relieved is the account without the faulty statements, and without what they
// are said to take the place of.
func (a *Account) relieved(faulty map[string]bool) *Account {
	b := a.less(func(entry string) bool { return faulty[entry] })
	whole := func(text string) string {
		all := sentencesOf(text)
		if !slices.ContainsFunc(all, func(s string) bool { return faulty[s] }) {
			return text
		}
		return strings.Join(without(all, func(s string) bool { return faulty[s] }), " ")
	}
	b.Intent, b.State = whole(b.Intent), whole(b.State)
	b.Supersedes = without(slices.Clone(b.Supersedes), func(s Supersession) bool { return faulty[s.By] })
	return b
}
