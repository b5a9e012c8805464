package checkpoint

import (
	"bytes"
	"path"
	"slices"

	"killick/chat"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/transcript"
)

// recordEnd parts a record from the user's own words in one message.
const recordEnd = "\n" + transcript.RecordEnd + "\n\n"

// replacement is what is sent in place of folded turns.
type Replacement struct {
	Messages []replaced // in order
	next     int        // the first message of the tail that is still to be sent
	after    int        // messages of the tail up to here are sent before these
	saved    int        // tokens of messages that became part of ours
	changed  bool       // ours are not the records as they were counted
}

// replaced is one message of a replacement.
type replaced struct {
	Raw   []byte // nil: message index, as the client spells it
	Index int
}

// replacement returns what is sent in place of the turns that cp folds: what is kept
// of them and the records, the last with the breakpoint that stood in those turns.
//
// For an upstream with a strict template all of that is one message, and where
// the first turn of the tail is the user's it becomes part of that: then no two
// user messages follow one another that did not before. To such templates neither
// instructions nor calls and their results are turns: those in between are sent
// first.
func Replace(v *layout.View, cp *Checkpoint) Replacement {
	in := Replacement{next: cp.Fold, after: cp.Fold}
	if len(cp.Records) == 0 {
		return in
	}
	mark := foldedBreakpoint(v, cp)
	follows := cp.Fold
	for follows < len(v.Messages) && !IsTurn(&v.Messages[follows]) {
		follows++
	}
	switch {
	case v.Strict && follows < len(v.Messages) && v.Messages[follows].Role() == chat.User:
		in.after, in.next, in.saved, in.changed = follows, follows+1, v.Tokens[follows], true
		in.Messages = []replaced{{Raw: MergeInto(&v.Messages[follows], ContentOf(v, cp.Records), mark)}}
	case v.Strict && (len(cp.Records) > 1 || len(cp.Records[0].Kept) > 0):
		in.changed = true
		in.Messages = []replaced{{Raw: ContentOf(v, cp.Records).message(mark)}}
	default:
		for i := range cp.Records {
			r := &cp.Records[i]
			for k := range r.Kept {
				in.Messages = append(in.Messages, replaced{Raw: r.Kept[k].Raw, Index: r.Kept[k].Index})
			}
			in.Messages = append(in.Messages, replaced{Raw: r.Raw})
		}
		if mark.Value != nil {
			last := len(in.Messages) - 1
			in.Messages[last].Raw = contentOfRecord(&cp.Records[len(cp.Records)-1]).message(mark)
			in.changed = true
		}
	}
	return in
}

// isTurn reports whether a strict template takes a message for a turn of either
// side: Mistral's leaves out what else there is.
func IsTurn(m *chat.Message) bool {
	return !m.Role().Instructs() && !m.Role().Result() && !m.HasCalls()
}

// sentAs returns what is sent in place of the turns that cp folds, and the size of
// the request then.
func SentAs(v *layout.View, cp *Checkpoint, c layout.Counter) (Replacement, int) {
	in := Replace(v, cp)
	return in, tokensWith(v, in, cp, c, Size(v, cp, v.Fixed)+ModelTokens(cp.Records))
}

// tokensWith is the size of the request in the form that cp gives it with in for the
// folded turns, n being the size with the records as they were counted.
func tokensWith(v *layout.View, in Replacement, cp *Checkpoint, c layout.Counter, n int) int {
	if !in.changed {
		return n
	}
	n -= Tokens(cp.Records) + ModelTokens(cp.Records) + in.saved
	for _, m := range in.Messages {
		if m.Raw == nil {
			n += v.Tokens[m.Index]
		} else if form, err := chat.ParseMessage(m.Raw); err == nil {
			n += c.Message(&form)
		}
	}
	return n
}

// content is the content of a message in the making: texts, still escaped, and parts
// of other kinds, in order.
type content []piece

type piece struct {
	text []byte // the inside of a JSON string; nil for a part that is none
	part []byte
}

// contentOf returns what is sent for folded turns as one content.
func ContentOf(v *layout.View, records []Record) (c content) {
	for i := range records {
		r := &records[i]
		for k := range r.Kept {
			m := v.Messages[r.Kept[k].Index]
			if r.Kept[k].Raw != nil {
				form, err := chat.ParseMessage(r.Kept[k].Raw)
				if err != nil {
					continue // it was read when the checkpoint was
				}
				m = form
			}
			c = c.with(&m)
		}
		c = append(c, contentOfRecord(r)...).joined()
	}
	return c
}

func contentOfRecord(r *Record) content {
	m, err := chat.ParseMessage(r.Raw)
	if err != nil {
		return nil
	}
	return content{}.with(&m)
}

// with returns the content with a message behind it.
func (c content) with(m *chat.Message) content {
	for part := range m.Parts() {
		if part.Text == nil {
			// A mark that stayed here would be one too many: it moves by itself.
			c = append(c, piece{part: part.Raw.Without("cache_control")})
		} else {
			c = append(c, piece{text: append([]byte{}, part.Text.StringBody()...)})
		}
	}
	return c.joined()
}

// joined returns the content with texts that follow one another as one.
func (c content) joined() content {
	var out content
	for _, p := range c {
		if last := len(out) - 1; last >= 0 && p.text != nil && out[last].text != nil {
			out[last].text = append(append(out[last].text, `\n\n`...), p.text...)
			continue
		}
		out = append(out, p)
	}
	return out
}

// plain reports whether the content is one text.
func (s content) plain() bool { return len(s) == 1 && s[0].text != nil }

// parts returns the parts of the content, without the brackets.
// mark, if there is one, stands on the last.
func (s content) parts(mark Breakpoint) []byte {
	var out []byte
	for i := range s {
		part := s[i].part
		if s[i].text != nil {
			part = append(append([]byte(`{"type":"text","text":"`), s[i].text...), `"}`...)
		}
		if i == len(s)-1 && mark.Value != nil {
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
func (s content) message(mark Breakpoint) []byte {
	onPart := mark
	if mark.Message {
		onPart = Breakpoint{}
	}
	raw := append(append([]byte{'['}, s.parts(onPart)...), ']')
	if s.plain() && onPart.Value == nil {
		raw = append(append([]byte{'"'}, s[0].text...), '"')
	}
	out := append(append([]byte(`{"role":"user","content":`), raw...), '}')
	if mark.Message {
		return mark.on(out)
	}
	return out
}

// mergeInto returns the user's message m with s before what it says. Of the
// client's bytes none is changed: its string stays as it was spelled, its parts
// as they were spaced.
func MergeInto(m *chat.Message, s content, mark Breakpoint) []byte {
	if last := len(s) - 1; last >= 0 && s[last].text != nil {
		s[last].text = chat.AppendEscaped(s[last].text, recordEnd)
	} else {
		s = append(s, piece{text: chat.AppendEscaped(nil, recordEnd)})
	}
	var onPart Breakpoint
	if !mark.Message {
		onPart = mark
	}
	own := m.Content()
	var merged []byte
	switch own.Kind() {
	case chat.String:
		if s.plain() && onPart.Value == nil {
			merged = append(append([]byte{'"'}, s[0].text...), own[1:]...)
			break
		}
		merged = append(append([]byte{'['}, s.parts(onPart)...), `,{"type":"text","text":`...)
		merged = append(append(merged, own...), `}]`...)
	case chat.Array:
		merged = append([]byte{'['}, s.parts(onPart)...)
		if inside := own[1:]; len(bytes.TrimSpace(inside)) > 1 {
			merged = append(append(merged, ','), inside...)
		} else {
			merged = append(merged, ']')
		}
	default:
		merged = append(append([]byte{'['}, s.parts(onPart)...), ']')
	}
	out := m.WithContent(merged)
	if own == nil { // as good as an empty one
		out = append(append(append([]byte(`{"content":`), merged...), ','), m.Raw[1:]...)
	}
	if mark.Message && m.Field("cache_control").Kind() == chat.Absent {
		out = mark.on(out)
	}
	return out
}

// strict reports whether a model's upstream insists on turns that alternate.
func Strict(p *settings.Policy, model string) bool {
	return p.StrictTurns || slices.ContainsFunc(p.StrictModels, func(pattern string) bool {
		ok, err := path.Match(pattern, model)
		return ok && err == nil || pattern == model
	})
}
