package layout

import "killick/internal/series"

// counts is what is remembered of the sizes of a conversation's messages.
type counts struct {
	counter    Counter
	tokens     series.Of[int]
	before     series.Of[int]
	instructed series.Of[int]
}

// countsKey is where counts are kept in a chat.Memory.
type countsKey struct{}

// count counts the messages: those that are known for what they were.
func (v *View) count(c Counter) {
	memory := v.Request.Memory()
	kept, n := memory.Load(countsKey{})
	known, _ := kept.(*counts)
	if known == nil || known.counter != c {
		known, n = &counts{}, 0
	}
	if n > 0 && n == len(v.Messages) {
		v.Tokens, v.Before = known.tokens.Items()[:n], known.before.Items()[:n+1]
		v.instructed = known.instructed.Items()[:n+1]
		return
	}
	v.Tokens = known.tokens.Grow(n)
	if n == 0 {
		v.Before, v.instructed = make(
			[]int,
			1,
			len(v.Messages)+1,
		), make(
			[]int,
			1,
			len(v.Messages)+1,
		)
	} else {
		v.Before, v.instructed = known.before.Grow(n+1), known.instructed.Grow(n+1)
	}
	for i := n; i < len(v.Messages); i++ {
		m := &v.Messages[i]
		tokens, order := c.Message(m), 0
		if m.Role().Instructs() {
			order = tokens
		}
		v.Tokens = append(v.Tokens, tokens)
		v.Before = append(v.Before, v.Before[i]+tokens)
		v.instructed = append(v.instructed, v.instructed[i]+order)
	}
	next := &counts{c, series.New(v.Tokens), series.New(v.Before), series.New(v.instructed)}
	const intBytes = 8
	memory.Store(countsKey{}, next, len(v.Messages), 3*intBytes*int64(next.tokens.Cap()))
}
