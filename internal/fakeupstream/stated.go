package fakeupstream

import (
	"strings"

	"killick/view"
)

// maxStated is the most statements that a model writes.
const maxStated = 50

// State returns what the model says of messages, as it answers a request for
// statements about them: numbered from first on, or without numbers where first is 0.
func (s *Scripted) State(msgs []view.Message, first int) []Statement {
	turns := transcript(msgs)
	if first > 0 {
		for i := range turns {
			turns[i].number = first + i
		}
	}
	return s.state(turns)
}

func (s *Scripted) state(turns []entry) []Statement {
	known := facts(turns)
	var all []Statement
	for _, f := range s.touch(known) {
		if sections[f.kind] != "" {
			all = append(all, stated(f))
		}
	}
	all = append(all[max(0, len(all)-maxStated):], s.lies(known, turns)...)
	if (s.Kind == Faithful || s.Kind == "") && s.Variant == "paraphrased" {
		for i := range all {
			all[i].Text = paraphrased(all[i].Text)
		}
	}
	return all
}

func stated(f fact) Statement {
	st := Statement{Section: sections[f.kind], Text: f.text, Quote: f.quote}
	if f.number > 0 {
		st.Messages = []int{f.number}
	}
	return st
}

// paraphrased puts the last clause of a sentence first and leaves one word in six
// out: what a rule can do without a word of its own.
func paraphrased(text string) string {
	head, tail, ok := strings.Cut(text, ", ")
	if ok {
		text = strings.TrimRight(tail, ".") + ", " + head
	}
	words := strings.Fields(text)
	kept := words[:0]
	for i, w := range words {
		if i%6 != 5 || strings.ContainsAny(w, "0123456789/._") {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
