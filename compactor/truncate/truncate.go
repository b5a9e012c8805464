package truncate

import (
	"hash/maphash"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/excerpt"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/transcript"
)

// door is what shortening needs beside the messages.
type Pass struct {
	Policy    *settings.Policy
	Limit     int // outputs of more tokens are oversized; 0: none is
	Memo      *Memo
	Who       string
	Count     layout.Counter
	Handle    func(content []byte) string
	Originals []string // originals that were shortened for the first time
}

// shortMemo remembers short forms, so that the large outputs of a history are not
// read again.
type Memo = layout.Memo[key, layout.Truncation]

const MostRemembered = 4096

// shortkey is an output, and the talk before it under one credential: handles
// are a credential's own.
type key struct {
	output chat.Fingerprint
	talk   uint64
}

var talkSeed = maphash.MakeSeed()

func newkey(who string, limit int, m *chat.Message, talk []string) key {
	var h maphash.Hash
	h.SetSeed(talkSeed)
	maphash.WriteComparable(&h, limit)
	h.WriteString(who)
	h.WriteByte(0)
	for _, t := range talk {
		h.WriteString(t)
		h.WriteByte(0)
	}
	return key{m.Fingerprint(), h.Sum64()}
}

// pass puts the short forms of oversized outputs in their places.
func (d *Pass) Apply(v *layout.View) {
	if d.Limit <= 0 {
		return
	}
	var t *transcript.Transcript
	again := d.repeats(v)
	for i := range v.Messages {
		m := &v.Messages[i]
		if v.Tokens[i] <= d.Limit && !again[i] || !m.Role().Result() || !m.OnlyText() {
			continue
		}
		if t == nil {
			t = v.Transcript(0)
		}
		c := t.Answered(i)
		if c < 0 || d.Policy.Excluded(t.Calls[c].Name) || d.Policy.Pins.OfOutput(m, t.Calls[c].Name) || t.Calls[c].Ranged() && !again[i] {
			continue
		}
		if s := d.shorten(v, i, &t.Calls[c], again[i]); s.Pays() {
			v.Truncate(i, s)
		}
	}
	v.SumUp()
}

// shorten returns the short form of message i, the output of a call. again: it is
// told shortly before, word for word.
func (d *Pass) shorten(v *layout.View, i int, of *transcript.Call, again bool) layout.Truncation {
	m := &v.Messages[i]
	var talk []string
	if !again {
		talk = talkBefore(v.Messages, i, of)
	}
	key := newkey(d.Who, d.Limit, m, talk)
	if s, ok := d.Memo.Get(key); ok {
		return s
	}
	text := m.Text()
	s := layout.Truncation{Handle: d.Handle([]byte(text)), Original: v.Tokens[i]}
	short := ""
	if again {
		short = d.Policy.Redact.Of(repeatText(s.Original, of, s.Handle))
	} else {
		o := excerpt.Output{Text: text, Tokens: s.Original, Room: d.Limit / 2, Ref: s.Handle, Of: of, Talk: talk, Names: d.Policy.Redact.NamesIn(text)}
		short = o.Shorten()
	}
	raw := checkpoint.Masked(m, short)
	if form, err := chat.ParseMessage(raw); err == nil && len(raw) < len(m.Raw) {
		s.Message, s.Tokens = form, d.Count.Message(&form)
	}
	if s.Pays() {
		d.Originals = append(d.Originals, text)
	}
	d.Memo.Put(key, s)
	return s
}

// talkBefore returns what was said right before an output came: the call with
// its message, the two assistant messages before, the last request.
func talkBefore(msgs []chat.Message, i int, of *transcript.Call) []string {
	talk := []string{of.Raw, msgs[of.Caller].Text()}
	assistants, users := 0, 0
	for j := of.Caller - 1; j >= max(0, of.Caller-12) && (assistants < 2 || users < 1); j-- {
		switch m := &msgs[j]; {
		case m.Role() == chat.Assistant && assistants < 2:
			assistants++
			talk = append(talk, m.Text())
		case m.Role() == chat.User && users < 1:
			users++
			talk = append(talk, m.Text())
		}
	}
	return talk
}

// NewMemo returns an empty memo.
func NewMemo() *Memo { return layout.NewMemo[key, layout.Truncation](MostRemembered) }
