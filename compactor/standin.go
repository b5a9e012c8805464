package compactor

import (
	"bytes"
	"path"
	"slices"

	"killick/chat"
)

// recordEnd parts a record from the user's own words in one message.
const recordEnd = "\n[End of the record. The user's own message follows.]\n\n"

// standIn is what is sent in place of folded turns.
type standIn struct {
	messages [][]byte // ours, in order
	next     int      // the first message of the tail that is still to be sent
	after    int      // messages of the tail up to here are sent before ours
	saved    int      // tokens of messages that became part of ours
	changed  bool     // ours are not the records as they were counted
}

// standIn returns what stands in for the turns that cp folds: its records, the
// last with the breakpoint that stood in those turns.
//
// For an upstream with a strict template the records are one message, and where
// the first turn of the tail is the user's it becomes part of that: then no two
// user messages follow one another that did not before. To such templates neither
// instructions nor calls and their results are turns: those in between are sent
// first.
func (v *view) standIn(cp *Checkpoint) standIn {
	in := standIn{next: cp.Fold, after: cp.Fold}
	if len(cp.Records) == 0 {
		return in
	}
	mark := v.foldedBreakpoint(cp.Fold)
	follows := cp.Fold
	for follows < len(v.msgs) && !isTurn(&v.msgs[follows]) {
		follows++
	}
	switch {
	case v.strict && follows < len(v.msgs) && v.msgs[follows].Role() == chat.User:
		in.after, in.next, in.saved, in.changed = follows, follows+1, v.tokens[follows], true
		in.messages = [][]byte{mergeInto(&v.msgs[follows], toldBy(cp.Records), mark)}
	case v.strict && len(cp.Records) > 1:
		in.changed = true
		in.messages = [][]byte{toldBy(cp.Records).message(mark)}
	default:
		for i := range cp.Records {
			in.messages = append(in.messages, cp.Records[i].Raw)
		}
		if mark.value != nil {
			last := len(in.messages) - 1
			in.messages[last] = toldBy(cp.Records[last:]).message(mark)
			in.changed = true
		}
	}
	return in
}

// isTurn tells whether a strict template takes a message for a turn of either
// side: Mistral's leaves out what else there is.
func isTurn(m *chat.Message) bool {
	return !m.Role().Instructs() && !m.Role().Result() && !m.HasCalls()
}

// sentAs returns what stands in for the turns that cp folds, and the size of the
// request then.
func (v *view) sentAs(cp *Checkpoint, c Counter) (standIn, int) {
	in := v.standIn(cp)
	return in, in.tokens(cp, c, v.size(cp, v.fixed)+accountsOf(cp.Records))
}

// tokens is the size of the request in the form that cp gives it with in for the
// folded turns, n being the size with the records as they were counted.
func (in *standIn) tokens(cp *Checkpoint, c Counter, n int) int {
	if !in.changed {
		return n
	}
	n -= tokensOf(cp.Records) + accountsOf(cp.Records) + in.saved
	for _, raw := range in.messages {
		if m, err := chat.ParseMessage(raw); err == nil {
			n += c.Message(&m)
		}
	}
	return n
}

// saying is the content of a message in the making: texts, still escaped, and
// parts of other kinds, in order.
type saying []spoken

type spoken struct {
	text []byte // the inside of a JSON string; nil for a part that is none
	part []byte
}

// toldBy returns what the records say. Texts that follow one another become one.
func toldBy(records []Record) (s saying) {
	for i := range records {
		m, err := chat.ParseMessage(records[i].Raw)
		if err != nil {
			continue // they were read when the checkpoint was
		}
		for part := range m.Parts() {
			last := len(s) - 1
			switch {
			case part.Text == nil:
				s = append(s, spoken{part: part.Raw})
			case last >= 0 && s[last].text != nil:
				s[last].text = append(append(s[last].text, `\n\n`...), part.Text.StringBody()...)
			default:
				s = append(s, spoken{text: append([]byte{}, part.Text.StringBody()...)})
			}
		}
	}
	return s
}

// plain tells whether all that is said is one text.
func (s saying) plain() bool { return len(s) == 1 && s[0].text != nil }

// parts returns what is said as the parts of a content, without the brackets.
// mark, if there is one, stands on the last.
func (s saying) parts(mark breakpoint) []byte {
	var out []byte
	for i := range s {
		part := s[i].part
		if s[i].text != nil {
			part = append(append([]byte(`{"type":"text","text":"`), s[i].text...), `"}`...)
		}
		if i == len(s)-1 && mark.value != nil {
			part = mark.on(part)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, part...)
	}
	return out
}

// message returns a user message that says s, with a mark where the client had
// its own: on the message, or on a part.
func (s saying) message(mark breakpoint) []byte {
	onPart := mark
	if mark.message {
		onPart = breakpoint{}
	}
	content := append(append([]byte{'['}, s.parts(onPart)...), ']')
	if s.plain() && onPart.value == nil {
		content = append(append([]byte{'"'}, s[0].text...), '"')
	}
	out := append(append([]byte(`{"role":"user","content":`), content...), '}')
	if mark.message {
		return mark.on(out)
	}
	return out
}

// mergeInto returns the user's message m with s before what it says. Of the
// client's bytes none is changed: its string stays as it was spelled, its parts
// as they were spaced.
func mergeInto(m *chat.Message, s saying, mark breakpoint) []byte {
	if last := len(s) - 1; last >= 0 && s[last].text != nil {
		s[last].text = chat.AppendEscaped(s[last].text, recordEnd)
	} else {
		s = append(s, spoken{text: chat.AppendEscaped(nil, recordEnd)})
	}
	var onPart breakpoint
	if !mark.message {
		onPart = mark
	}
	content := m.Content()
	var merged []byte
	switch content.Kind() {
	case chat.String:
		if s.plain() && onPart.value == nil {
			merged = append(append([]byte{'"'}, s[0].text...), content[1:]...)
			break
		}
		merged = append(append([]byte{'['}, s.parts(onPart)...), `,{"type":"text","text":`...)
		merged = append(append(merged, content...), `}]`...)
	case chat.Array:
		merged = append([]byte{'['}, s.parts(onPart)...)
		if inside := content[1:]; len(bytes.TrimSpace(inside)) > 1 {
			merged = append(append(merged, ','), inside...)
		} else {
			merged = append(merged, ']')
		}
	default:
		merged = append(append([]byte{'['}, s.parts(onPart)...), ']')
	}
	out := m.WithContent(merged)
	if content == nil { // as good as an empty one
		out = append(append(append([]byte(`{"content":`), merged...), ','), m.Raw[1:]...)
	}
	if mark.message && m.Field("cache_control").Kind() == chat.Absent {
		out = mark.on(out)
	}
	return out
}

// strict tells whether a model's upstream insists on turns that alternate.
func (p *Policy) strict(model string) bool {
	return p.StrictTurns || slices.ContainsFunc(p.StrictModels, func(pattern string) bool {
		ok, err := path.Match(pattern, model)
		return ok && err == nil || pattern == model
	})
}
