package compactor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Account is what models told of the folded turns, as far as it was taken. In a
// record it stands beside what the rules found, in a room of its own: a record
// with an account tells all that the rules' alone would tell, and folds the same
// turns at the same point. So nothing that a model writes can cost a reference,
// and forms follow from the conversation whoever wrote in them.
type Account struct {
	Intent     string         `json:"intent,omitempty"`
	State      string         `json:"state,omitempty"`
	Decisions  []Decision     `json:"decisions,omitempty"` // newest first
	Supersedes []Supersession `json:"supersedes,omitempty"`
	Completed  []string       `json:"completed,omitempty"`
	Failed     []string       `json:"failed,omitempty"`
	Open       []string       `json:"open,omitempty"`
	Next       []string       `json:"next,omitempty"`
	// Facts are lines of the turns that a model's questions or the next turns asked
	// for, newest first.
	Facts []string `json:"facts,omitempty"`
}

// Supersession is a decision that a model says takes the place of an older one.
type Supersession struct {
	By  string `json:"by"`
	Old string `json:"old"`
}

// accountRoom is what an account may take of a record beside room bytes of what
// the rules found.
func accountRoom(room int) int { return room / 2 }

// maxAccountFacts bounds the lines of an account in a record, in bytes.
const maxAccountFacts = maxNeededBytes

func (a *Account) empty() bool {
	return a == nil || a.Intent == "" && a.State == "" &&
		len(a.Decisions)+len(a.Completed)+len(a.Failed)+len(a.Open)+len(a.Next)+len(a.Facts) == 0
}

// and returns the account of all turns: of those before, a, and of the newer
// ones, in which x was found. newer is nil where no model told of them. State and
// next steps are those of the newest turns or none; questions end when the user
// has said something.
func (a *Account) and(newer *Account, x *extraction) *Account {
	var old, all Account
	if a != nil {
		old = *a
	}
	if newer != nil {
		all = *newer
	}
	all.Intent = orElse(all.Intent, old.Intent)
	old.Decisions = slices.Clone(old.Decisions)
	for i := range old.Decisions {
		d := &old.Decisions[i]
		d.Superseded = d.Superseded || slices.ContainsFunc(x.Decisions, func(found Decision) bool { return turnsFrom(found.Text, d.Text) })
	}
	all.Decisions = mergeDecisions(old.Decisions, all.Decisions, all.Supersedes)
	all.Supersedes = append(slices.Clone(all.Supersedes), old.Supersedes...)
	all.Supersedes = all.Supersedes[:min(len(all.Supersedes), maxEntries)]
	all.Completed = mergeLines(old.Completed, all.Completed)
	all.Failed = mergeLines(old.Failed, all.Failed)
	if !x.asked {
		all.Open = mergeLines(old.Open, all.Open)
	}
	all.Facts = mergeLines(old.Facts, all.Facts)
	if all.empty() {
		return nil
	}
	return &all
}

// asked returns the account with lines that were asked for.
func (a *Account) asked(lines []string) *Account {
	b := *a
	b.Facts = mergeLines(a.Facts, lines)
	return &b
}

// less returns the account without the entries that are told to be dropped.
func (a *Account) less(drop func(entry string) bool) *Account {
	b := *a
	for _, text := range []*string{&b.Intent, &b.State} {
		if *text != "" && drop(*text) {
			*text = ""
		}
	}
	b.Decisions = without(slices.Clone(b.Decisions), func(d Decision) bool { return drop(d.Text) })
	for _, list := range []*[]string{&b.Completed, &b.Failed, &b.Open, &b.Next} {
		*list = without(slices.Clone(*list), drop)
	}
	return &b
}

// facts are the newest lines that a record has room for.
func (a *Account) facts() (lines []string) {
	if a == nil {
		return nil
	}
	room := maxAccountFacts
	for _, line := range a.Facts {
		if room -= len(line); room < 0 {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// outdated tells whether a model says that a decision was superseded.
func (a *Account) outdated(decision string) bool {
	return !strings.HasPrefix(decision, supersededMark) && slices.ContainsFunc(a.Supersedes, func(s Supersession) bool { return s.marks(decision) })
}

// marks tells whether d is the older decision. A model's word alone turns nothing
// around: it must say which one in two words at least, the new one must have a word
// in common with it, and d must not be the new one told otherwise, which often
// names what it turns away from.
func (s *Supersession) marks(d string) bool {
	by := contentWords(s.By)
	if len(contentWords(s.Old)) < 2 || !covered(s.Old, []string{d}) && !covered(d, []string{s.Old}) || turnsFrom(d, s.Old) {
		return false
	}
	have := map[string]bool{}
	for _, w := range contentWords(d) {
		have[w] = true
	}
	shared := without(slices.Clone(by), func(w string) bool { return !have[w] })
	return len(shared) > 0 && len(shared) < len(by)
}

// under puts what the account tells before what the rules found, section by
// section.
func (a *Account) under(sections []section) {
	if a == nil {
		return
	}
	var decisions []string
	for _, d := range a.Decisions {
		decisions = append(decisions, when(d.Superseded, supersededMark)+d.Text)
	}
	told := map[string][]string{
		titleIntent: one(a.Intent), titleState: one(a.State), titleNext: a.Next, titleOpen: a.Open,
		titleDecisions: decisions, titleCompleted: a.Completed, titleFailed: a.Failed,
	}
	for i := range sections {
		s := &sections[i]
		s.told, s.behind = told[s.title], s.title == titleIntent // the task's own words come first
		if s.title == titleDecisions {
			s.outdated = a.outdated
		}
	}
}

// validate holds the account against the limits of entries: whoever stored it, a
// record is made of it.
func (a *Account) validate() error {
	if a == nil {
		return nil
	}
	decisions := make([]string, len(a.Decisions))
	for i := range a.Decisions {
		decisions[i] = a.Decisions[i].Text
	}
	var faults []error
	for name, list := range map[string][]string{
		"intent": one(a.Intent), "state": one(a.State), "decisions": decisions, "completed": a.Completed,
		"failed": a.Failed, "open": a.Open, "next": a.Next, "facts": a.Facts,
	} {
		if len(list) > maxEntries {
			faults = append(faults, fmt.Errorf("%w: the account's %s has %d entries, at most %d are allowed", errSummary, name, len(list), maxEntries))
		}
		for i, entry := range list {
			most := max(maxEntry, maxTold)
			if strings.ContainsAny(entry, "\n\r") { // it could pass for a heading
				faults = append(faults, fmt.Errorf("%w: the account's %s[%d] has several lines", errSummary, name, i))
			}
			if entry == "" || len(entry) > most {
				faults = append(faults, fmt.Errorf("%w: the account's %s[%d] has %d bytes, want 1 to %d", errSummary, name, i, len(entry), most))
			}
		}
	}
	return errors.Join(faults...)
}
