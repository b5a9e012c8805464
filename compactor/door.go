package compactor

import (
	"hash/maphash"

	"killick/chat"
	"killick/transcript"
)

// The door is an opt-in stage before any trigger: an oversized output is
// shortened when it first arrives, before it ever enters the provider's prompt
// cache. What is shown of it follows from the output, its call and what was said
// right before alone, so it reads the same at every later turn.

// shortening is an output in its short form.
type shortening struct {
	message  chat.Message
	handle   string
	tokens   int // of the short form, and of the original
	original int
}

func (s *shortening) pays() bool { return s.tokens > 0 && s.original-s.tokens >= s.original/4 }

// door is what shortening needs beside the messages.
type door struct {
	policy *Policy
	limit  int // outputs of more tokens are oversized; 0: none is
	memo   *shortMemo
	who    string
	count  Counter
	handle func(content []byte) string
	fresh  []string // originals that were shortened for the first time
}

// shortMemo remembers short forms, so that the large outputs of a history are not
// read again.
type shortMemo = memo[shortKey, shortening]

const mostShort = 4096

// shortKey is an output, and the talk before it under one credential: handles
// are a credential's own.
type shortKey struct {
	output chat.Fingerprint
	talk   uint64
}

var talkSeed = maphash.MakeSeed()

func newShortKey(who string, limit int, m *chat.Message, talk []string) shortKey {
	var h maphash.Hash
	h.SetSeed(talkSeed)
	maphash.WriteComparable(&h, limit)
	h.WriteString(who)
	h.WriteByte(0)
	for _, t := range talk {
		h.WriteString(t)
		h.WriteByte(0)
	}
	return shortKey{m.Fingerprint(), h.Sum64()}
}

// pass puts the short forms of oversized outputs in their places.
func (d *door) pass(v *view) {
	if d.limit <= 0 {
		return
	}
	var t *transcript.Transcript
	again := d.repeats(v)
	for i := range v.msgs {
		m := &v.msgs[i]
		if v.tokens[i] <= d.limit && !again[i] || !m.Role().Result() || !m.OnlyText() {
			continue
		}
		if t == nil {
			t = v.transcript(0)
		}
		c := t.Answered(i)
		if c < 0 || d.policy.excluded(t.Calls[c].Name) || d.policy.pins.ofOutput(m, t.Calls[c].Name) || t.Calls[c].Ranged() && !again[i] {
			continue
		}
		if s := d.shorten(v, i, &t.Calls[c], again[i]); s.pays() {
			v.shorten(i, s)
		}
	}
	v.sumUp()
}

// shorten returns the short form of message i, the output of a call. again: it is
// told shortly before, word for word.
func (d *door) shorten(v *view, i int, of *transcript.Call, again bool) shortening {
	m := &v.msgs[i]
	var talk []string
	if !again {
		talk = talkBefore(v.msgs, i, of)
	}
	key := newShortKey(d.who, d.limit, m, talk)
	if s, ok := d.memo.get(key); ok {
		return s
	}
	text := m.Text()
	s := shortening{handle: d.handle([]byte(text)), original: v.tokens[i]}
	short := ""
	if again {
		short = d.policy.redact.of(repeatText(s.original, of, s.handle))
	} else {
		o := oversized{text: text, tokens: s.original, room: d.limit / 2, ref: s.handle, of: of, talk: talk, names: d.policy.redact.namesIn(text)}
		short = o.shortText()
	}
	raw := masked(m, short)
	if form, err := chat.ParseMessage(raw); err == nil && len(raw) < len(m.Raw) {
		s.message, s.tokens = form, d.count.Message(&form)
	}
	if s.pays() {
		d.fresh = append(d.fresh, text)
	}
	d.memo.put(key, s)
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
