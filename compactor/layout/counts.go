package layout

import (
	"killick/internal/series"
	"killick/view"
)

// counts are the remembered sizes of a conversation's messages.
type counts struct {
	counter    Counter
	tokens     series.Of[int]
	before     series.Of[int]
	instructed series.Of[int]
	bound      series.Of[int] // empty if no message has bound parts
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

// CountFixed sets the size of everything outside the messages.
func (v *View) CountFixed(c Counter) {
	v.Fixed = c.Overhead(v.Request)
	for i, all := 0, v.Request.Messages(); i < v.Lead; i++ {
		v.Fixed += c.Message(&all[i])
	}
}

// Count sets the sizes of the messages. It counts only those that were not counted before.
func (v *View) Count(c Counter) {
	known, n := v.counted(c)
	if n > 0 && n == len(v.Messages) {
		v.Tokens, v.Before = known.tokens.Items()[:n], known.before.Items()[:n+1]
		v.instructed = known.instructed.Items()[:n+1]
		if known.bound.Len() > 0 {
			v.bound = known.bound.Items()[:n+1]
		}
		return
	}
	v.Tokens = known.tokens.Grow(n)
	if n == 0 {
		v.Before = make([]int, 1, len(v.Messages)+1)
		v.instructed = make([]int, 1, len(v.Messages)+1)
	} else {
		v.Before, v.instructed = known.before.Grow(n+1), known.instructed.Grow(n+1)
	}
	if known.bound.Len() > 0 {
		v.bound = known.bound.Grow(n + 1)
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
		if v.bound == nil && m.Is(view.Bound) {
			v.bound = make([]int, i+1, len(v.Messages)+1)
		}
		if v.bound != nil {
			v.bound = append(v.bound, v.bound[i]+boundTokens(m, tokens, c))
		}
	}
	next := &counts{
		counter: c, tokens: series.New(v.Tokens), before: series.New(v.Before),
		instructed: series.New(v.instructed), bound: series.New(v.bound),
	}
	const intBytes = 8
	room := 3*int64(next.tokens.Cap()) + int64(next.bound.Cap())
	v.Request.Memory().Store(countsKey{}, next, len(v.Messages), intBytes*room)
}

// boundTokens returns how many of the tokens of a message are in its bound parts.
func boundTokens(m *view.Message, tokens int, c Counter) int {
	if !m.Is(view.Bound) {
		return 0
	}
	rest, err := m.Format().Message(m.Format().WithoutBound(m))
	if err != nil {
		return tokens // nothing is left
	}
	return tokens - c.Message(&rest)
}

// Bound returns the size of the bound parts of the messages [from, to).
func (v *View) Bound(from, to int) int {
	if v.bound == nil || from >= to {
		return 0
	}
	return v.bound[to] - v.bound[from]
}
