package compactor

import (
	"fmt"
	"slices"
	"strings"
)

// section is one section of a record: a heading and entries, most worth keeping
// first.
type section struct {
	title   string
	entries []string
	share   int  // percent of the room that it may fill before others had theirs
	inline  bool // entries stand behind one another on a line

	told     []string                // by a model, in a room apart
	behind   bool                    // what was told stands behind the entries, none of which it replaces
	outdated func(entry string) bool // a model says so; nil: none is
}

// supersededMark stands before a decision that a later one took the place of.
const supersededMark = "(superseded) "

// Titles of the sections that a model has a part in.
const (
	titleIntent    = "Session intent"
	titleState     = "Current state"
	titleNext      = "Next steps (as planned then, not orders)"
	titleOpen      = "Open questions and unresolved errors"
	titleDecisions = "Decisions made"
	titleCompleted = "Completed"
	titleFailed    = "Failed attempts"
)

// sections lays the summary out. What is told by a pin already is not told
// again.
func (s *Summary) sections(p *Pins) []section {
	skip := map[string]bool{}
	for _, pin := range p.all() {
		skip[oneLine(pin.text(), maxEntry)] = true
	}
	var requests []string
	for _, r := range s.Requests {
		if skip[r.Text] {
			continue
		}
		requests = append(requests, when(r.Done, "(answered) ")+r.Text)
	}
	var decisions, open, data []string
	for _, d := range s.Decisions {
		decisions = append(decisions, when(d.Superseded, supersededMark)+d.Text)
	}
	for _, q := range s.Open {
		open = append(open, q.Text)
	}
	for _, d := range s.Data {
		data = append(data, d.Text)
	}
	return []section{
		{title: titleIntent, entries: one(s.Intent), share: 8},
		{title: titleState, entries: one(s.State), share: 8},
		{title: titleNext, entries: s.Next, share: 8},
		{title: titleOpen, entries: open, share: 10},
		{title: "Files modified", entries: lines(s.Files), share: 18},
		{title: titleDecisions, entries: decisions, share: 12},
		{title: "User requests, newest first", entries: requests, share: 12},
		{title: titleCompleted, entries: s.Completed, share: 8},
		{title: titleFailed, entries: s.Failed, share: 6},
		{title: "Key data", entries: data, share: 6, inline: true},
		{title: "Files read", entries: lines(s.Reads), share: 4, inline: true},
	}
}

func when(so bool, text string) string {
	if so {
		return text
	}
	return ""
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func lines(files []File) (out []string) {
	for i := range files {
		out = append(out, files[i].line())
	}
	return out
}

// line says of a file what was done to it.
func (f *File) line() string {
	var did []string
	if f.Created {
		did = append(did, "created")
	}
	if edits := f.Edits; edits > 1 || edits == 1 && !f.Created {
		did = append(did, fmt.Sprintf("edited %d×", edits))
	}
	if f.Deleted {
		did = append(did, "deleted")
	}
	out := f.Path
	if len(did) > 0 {
		out += " — " + strings.Join(did, ", ")
	}
	if f.Detail != "" {
		out += "; last: " + f.Detail
	}
	return out
}

// fit chooses how many entries of each section are told in room bytes. It returns
// the number for each.
func fit(sections []section, room int) []int {
	left := room
	for i := range sections {
		left -= len(sections[i].title) + len("\n\n## \n")
	}
	return fill(sections, func(s *section) []string { return s.entries }, room, left, room/4)
}

// fitTold is fit for what a model told. The sections are there anyway.
func fitTold(sections []section, room int) []int {
	return fill(sections, func(s *section) []string { return s.told }, room, room, room/2)
}

// fill takes entries from each section up to its share of room, then what is left
// in the sections' order, none past most bytes.
func fill(sections []section, entries func(*section) []string, room, left, most int) []int {
	taken := make([]int, len(sections))
	used := make([]int, len(sections))
	take := func(i, bound int) {
		from := entries(&sections[i])
		for taken[i] < len(from) {
			cost := len(from[taken[i]]) + len("- \n")
			if used[i]+cost > bound || cost > left {
				return
			}
			used[i] += cost
			left -= cost
			taken[i]++
		}
	}
	for i := range sections {
		take(i, room*sections[i].share/100)
	}
	for i := range sections {
		take(i, most)
	}
	return taken
}

// sectionsText renders the sections: what the rules found in at most room bytes,
// what a model told in accountRoom more. Those with nothing to tell are named all
// the same. Of the rules' entries none leaves for a model's, but for one that the
// model's says with the same names.
func sectionsText(sections []section, room int) string {
	found, told := fit(sections, room), fitTold(sections, accountRoom(room))
	var b strings.Builder
	var none []string
	for i, s := range sections {
		if found[i]+told[i] == 0 {
			none = append(none, s.title+when(len(s.entries) > 0, fmt.Sprintf(" (%d left out)", len(s.entries))))
			continue
		}
		b.WriteString("\n## " + s.title + "\n")
		s.write(&b, s.entries[:found[i]], s.told[:told[i]])
		if more := len(s.entries) - found[i]; more > 0 {
			fmt.Fprintf(&b, "(%d more left out)\n", more)
		}
	}
	if len(none) > 0 {
		b.WriteString("\nNothing told under: " + strings.Join(none, "; ") + ".\n")
	}
	return b.String()
}

// write writes the entries, and what a model told, a line each.
func (s *section) write(b *strings.Builder, entries, told []string) {
	if s.inline {
		b.WriteString(strings.Join(entries, ", ") + "\n")
		return
	}
	tell := func() {
		for _, entry := range told {
			b.WriteString("- " + entry + "\n")
		}
	}
	if !s.behind {
		tell()
	}
	for _, entry := range entries {
		if s.behind || !toldBetter(entry, told) {
			b.WriteString("- " + when(s.outdated != nil && s.outdated(entry), supersededMark) + entry + "\n")
		}
	}
	if s.behind {
		tell()
	}
}

// toldBetter tells whether one of the texts says what entry does, with every word
// of it that is more than plain letters.
func toldBetter(entry string, told []string) bool {
	for _, text := range told {
		if !covered(entry, []string{text}) {
			continue
		}
		words := strings.Fields(text)
		if !slices.ContainsFunc(strings.Fields(entry), func(word string) bool { return isTelling(word) && !slices.Contains(words, word) }) {
			return true
		}
	}
	return false
}

// isTelling tells a name, a path, a number or a value from a plain word.
func isTelling(word string) bool {
	word = strings.TrimRight(word, ".,;:!?")
	for i := range len(word) {
		if c := word[i]; !isLetter(c) || i > 0 && c < 'a' {
			return true
		}
	}
	return false
}
