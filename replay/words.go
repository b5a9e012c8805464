package replay

import (
	"slices"
	"strings"

	"killick/transcript/speech"
	"killick/view"
)

// Limits of the messages of persons that are checked: the newest keptMessages, of at most keptBytes
// each, about 400 tokens.
const (
	keptMessages = 20
	keptBytes    = 1600
)

// add adds a message with the role user.
func (w *words) add(m *speech.Message) {
	if strings.TrimSpace(m.Text) == "" {
		return
	}
	w.last = m.Text
	runs := typedRuns(m)
	if len(runs) == 0 {
		return
	}
	if w.request = runs; w.task == nil {
		w.task = runs
	}
	if size(runs) <= keptBytes {
		w.newest = append(slices.Clone(w.newest), strings.Join(runs, "\x00"))
		w.newest = w.newest[max(0, len(w.newest)-keptMessages):]
	}
}

// typedRuns returns the parts of a message that a person typed, split where the client inserted
// text.
func typedRuns(m *speech.Message) (runs []string) {
	if m.Speaker != speech.Person {
		return nil
	}
	run := ""
	flush := func() {
		if run = strings.TrimSpace(run); run != "" {
			runs = append(runs, run)
		}
		run = ""
	}
	for _, s := range m.Spans {
		if s.Kind.Typed() {
			run += m.Text[s.Start:s.End]
		} else {
			flush()
		}
	}
	flush()
	return runs
}

func size(texts []string) (n int) {
	for _, t := range texts {
		n += len(t)
	}
	return n
}

// keptWords counts how many of the newest messages of persons a forwarded request still contains
// verbatim.
func (s *Study) keptWords(k *Kept, t *turn, out *view.Request, sent []*message) {
	for _, newest := range t.words.newest {
		k.Of++
		if s.holdsAll(out, sent, strings.Split(newest, "\x00")) {
			k.Kept++
		}
	}
}
