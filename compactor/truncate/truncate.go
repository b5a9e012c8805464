package truncate

import (
	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/excerpt"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/internal/series"
	"killick/transcript"
)

// Pass truncates the outputs of one request.
type Pass struct {
	Policy    *settings.Policy
	Limit     int // outputs of more tokens are oversized; 0: none is
	Count     layout.Counter
	Handle    func(content []byte) string
	Originals []string // originals that were truncated for the first time
}

// remembered is what is known of a conversation's outputs.
type remembered struct {
	limit   int
	count   layout.Counter
	outputs series.Of[output] // of each message; the zero output where none is eligible as a repeat
	again   series.Of[bool]
	short   series.Of[truncated] // in order
	tokens  series.Of[int]       // with the short forms; empty while there is none
	before  series.Of[int]
}

type truncated struct {
	index int
	layout.Truncation
}

// rememberedKey is where it is kept in a chat.Memory.
type rememberedKey struct{}

// Apply puts the short forms of oversized outputs in their places.
func (p *Pass) Apply(v *layout.View) {
	if p.Limit <= 0 {
		return
	}
	memory := v.Request.Memory()
	kept, n := memory.Load(rememberedKey{})
	known, _ := kept.(*remembered)
	if known == nil || known.limit != p.Limit || known.count != p.Count {
		known, n = &remembered{}, 0
	}
	if n == 0 || n < len(v.Messages) || known.outputs.Len() > n {
		known = p.extend(v, known, n)
		memory.Store(rememberedKey{}, known, len(v.Messages), known.bytes())
	}
	if short := known.short.Items(); len(short) > 0 {
		forms := make(map[int]layout.Truncation, len(short))
		for _, s := range short {
			forms[s.index] = s.Truncation
		}
		v.Truncate(forms, known.tokens.Items(), known.before.Items())
	}
}

// extend returns what is known of the conversation, of which known has the first n messages.
func (p *Pass) extend(v *layout.View, known *remembered, n int) *remembered {
	outputs, again := p.repeats(v, known.outputs.Grow(n), known.again.Grow(n))
	short := known.short.Grow(shortBefore(known.short.Items(), n))
	short = p.shortenFrom(v, n, again, short)
	next := &remembered{
		limit: p.Limit, count: p.Count,
		outputs: series.New(outputs), again: series.New(again), short: series.New(short),
	}
	if len(short) > 0 {
		tokens, before := sizes(v, known, n, short)
		next.tokens, next.before = series.New(tokens), series.New(before)
	}
	return next
}

func (r *remembered) bytes() (n int64) {
	for _, s := range r.short.Items() {
		const fixed = 200
		n += fixed + int64(len(s.Message.Raw))
	}
	const outputBytes, intBytes = 17, 8
	return n + outputBytes*int64(r.outputs.Cap()) + 2*intBytes*int64(r.tokens.Cap())
}

// shortBefore is how many of the short forms stand before message n.
func shortBefore(short []truncated, n int) int {
	at := len(short)
	for at > 0 && short[at-1].index >= n {
		at--
	}
	return at
}

// shortenFrom adds the short forms of outputs from message n on.
func (p *Pass) shortenFrom(v *layout.View, n int, again []bool, short []truncated) []truncated {
	var t *transcript.Transcript
	for i := n; i < len(v.Messages); i++ {
		m := &v.Messages[i]
		if v.Tokens[i] <= p.Limit && !again[i] || !m.Role().Result() || !m.OnlyText() {
			continue
		}
		if t == nil {
			t = v.Transcript(v.Groups[v.GroupAt(i+1)-1].Start)
		}
		c := t.Answered(i)
		if c < 0 {
			continue
		}
		of := &t.Calls[c]
		if p.Policy.Excluded(of.Name) || p.Policy.Pins.OfOutput(m, of.Name) || of.Ranged() && !again[i] {
			continue
		}
		if s := p.shorten(v, i, of, again[i]); s.Pays() {
			short = append(short, truncated{i, s})
		}
	}
	return short
}

// sizes returns the tokens of the messages with their short forms, and the sums.
func sizes(v *layout.View, known *remembered, n int, short []truncated) (tokens, before []int) {
	if known.tokens.Len() < n || n == 0 {
		n = 0
		tokens, before = make([]int, 0, len(v.Tokens)), make([]int, 1, len(v.Tokens)+1)
	} else {
		tokens, before = known.tokens.Grow(n), known.before.Grow(n+1)
	}
	next := shortBefore(short, n)
	for i := n; i < len(v.Messages); i++ {
		size := v.Tokens[i]
		if next < len(short) && short[next].index == i {
			size = short[next].Tokens
			next++
		}
		tokens, before = append(tokens, size), append(before, before[i]+size)
	}
	return tokens, before
}

// shorten returns the short form of message i, the output of a call. again: it was sent
// shortly before, word for word.
func (p *Pass) shorten(v *layout.View, i int, of *transcript.Call, again bool) layout.Truncation {
	m := &v.Messages[i]
	text := m.Text()
	s := layout.Truncation{Handle: p.Handle([]byte(text)), Original: v.Tokens[i]}
	short := ""
	if again {
		short = p.Policy.Redact.Of(repeatText(s.Original, of, s.Handle))
	} else {
		o := excerpt.Output{
			Text: text, Tokens: s.Original, Room: p.Limit / 2, Ref: s.Handle, Of: of,
			Talk: talkBefore(v.Messages, i, of), Names: p.Policy.Redact.NamesIn(text),
		}
		short = o.Shorten()
	}
	raw := checkpoint.Masked(m, short)
	if form, err := chat.ParseMessage(raw); err == nil && len(raw) < len(m.Raw) {
		s.Message, s.Tokens = form, p.Count.Message(&form)
	}
	if s.Pays() {
		p.Originals = append(p.Originals, text)
	}
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
