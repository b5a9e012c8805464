package layout

import (
	"context"

	"killick/series"
	"killick/view"
)

// New lays out a request and counts it.
func New(req *view.Request, c Counter) *View {
	v := Uncounted(req)
	v.CountPreamble(c)
	v.Count(c)
	return v
}

// counts are the remembered sizes of a conversation's messages.
type counts struct {
	counter    Counter
	tokens     series.Of[int]
	before     series.Of[int]
	instructed series.Of[int]
	signed     series.Of[int] // empty if no message has signed parts
}

// countsKey is the key of counts in a view.Memory.
type countsKey struct{}

// counted returns the sizes remembered for a counter, and the number of messages that they cover.
func (v *View) counted(c Counter) (*counts, int) {
	kept, n := v.Request.Memory().Load(countsKey{})
	known, _ := kept.(*counts)
	if known == nil || known.counter != c {
		return &counts{}, 0
	}
	return known, n
}

// BytesToCount returns how many bytes of messages Count has to read.
func (v *View) BytesToCount(c Counter) (bytes int) {
	_, n := v.counted(c)
	for i := n; i < len(v.Messages); i++ {
		bytes += len(v.Messages[i].Raw)
	}
	return bytes
}

// CountPreamble sets the size of what precedes the messages: tools, leading instructions, framing.
func (v *View) CountPreamble(c Counter) {
	v.Preamble = c.Overhead(v.Request)
	for i, all := 0, v.Request.Messages(); i < v.Lead; i++ {
		v.Preamble += c.Message(&all[i])
	}
}

// Count sets the sizes of the messages. It counts only those that were not counted before.
func (v *View) Count(c Counter) { v.CountWithin(context.Background(), c) }

// CountWithin is Count until ctx ends. It reports whether all messages were counted. If not, their
// sizes must not be read; the next request of the conversation continues from there.
func (v *View) CountWithin(ctx context.Context, c Counter) (all bool) {
	known, n := v.counted(c)
	if n > 0 && n == len(v.Messages) {
		v.Tokens, v.Before = known.tokens.Items()[:n], known.before.Items()[:n+1]
		v.instructed = known.instructed.Items()[:n+1]
		if known.signed.Len() > 0 {
			v.signed = known.signed.Items()[:n+1]
		}
		return true
	}
	v.Tokens = known.tokens.Grow(n)
	if n == 0 {
		v.Before = make([]int, 1, len(v.Messages)+1)
		v.instructed = make([]int, 1, len(v.Messages)+1)
	} else {
		v.Before, v.instructed = known.before.Grow(n+1), known.instructed.Grow(n+1)
	}
	if known.signed.Len() > 0 {
		v.signed = known.signed.Grow(n + 1)
	}
	for i := n; i < len(v.Messages) && ctx.Err() == nil; i++ {
		m := &v.Messages[i]
		tokens, order := c.Message(m), 0
		if m.Role().Instructs() {
			order = tokens
		}
		v.Tokens = append(v.Tokens, tokens)
		v.Before = append(v.Before, v.Before[i]+tokens)
		v.instructed = append(v.instructed, v.instructed[i]+order)
		if v.signed == nil && m.Is(view.Signed) {
			v.signed = make([]int, i+1, len(v.Messages)+1)
		}
		if v.signed != nil {
			v.signed = append(v.signed, v.signed[i]+signedTokens(m, tokens, c))
		}
	}
	next := &counts{
		counter: c, tokens: series.New(v.Tokens), before: series.New(v.Before),
		instructed: series.New(v.instructed), signed: series.New(v.signed),
	}
	const intBytes = 8
	room := 3*int64(next.tokens.Cap()) + int64(next.signed.Cap())
	v.Request.Memory().Store(countsKey{}, next, len(v.Tokens), intBytes*room)
	return len(v.Tokens) == len(v.Messages)
}

// signedTokens returns how many of the tokens of a message are in its signed parts.
func signedTokens(m *view.Message, tokens int, c Counter) int {
	if !m.Is(view.Signed) {
		return 0
	}
	rest, err := m.Format().Message(m.Format().WithoutSigned(m))
	if err != nil {
		return tokens // nothing is left
	}
	return tokens - c.Message(&rest)
}

// Signed returns the size of the signed parts of the messages [from, to).
func (v *View) Signed(from, to int) int {
	if v.signed == nil || from >= to {
		return 0
	}
	return v.signed[to] - v.signed[from]
}
