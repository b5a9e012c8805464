package truncate

import (
	"slices"

	"killick/compactor/layout"
	"killick/series"
)

// Apply truncates the outputs of v that are oversized or repeat an output shortly before.
func (p *Pass) Apply(v *layout.View) {
	if p.Limit <= 0 {
		return
	}
	p.hits, p.words = hits{}, words{}
	known := p.remember(v)
	if short := known.short.Items(); len(short) > 0 {
		forms := make(map[int]layout.Truncation, len(short))
		for _, s := range short {
			forms[s.index] = s.Truncation
		}
		v.Truncate(forms, known.tokens.Items(), known.before.Items())
	}
}

// remembered has the facts about a conversation's outputs.
type remembered struct {
	limit    int
	after    int
	count    layout.Counter
	outputs  series.Of[output] // by message; the zero output if it cannot be repeated
	repeated series.Of[first]  // by message
	short    series.Of[truncated]
	tokens   series.Of[int] // with the short forms; empty if there is none
	before   series.Of[int]
}

// rememberedKey is its key in a view.Memory.
type rememberedKey struct{}

// remember returns the facts about the conversation. It reads only new messages.
func (p *Pass) remember(v *layout.View) *remembered {
	memory := v.Request.Memory()
	kept, n := memory.Load(rememberedKey{})
	known, _ := kept.(*remembered)
	if known == nil || known.limit != p.Limit || known.after != p.After ||
		known.count != p.Count {
		known, n = &remembered{}, 0
	}
	if n < len(v.Messages) || known.outputs.Len() > n {
		known = p.extend(v, known, n)
		memory.Store(rememberedKey{}, known, len(v.Messages), known.bytes())
	}
	return known
}

// extend returns the facts about the conversation. known has those about the first n messages.
func (p *Pass) extend(v *layout.View, known *remembered, n int) *remembered {
	outputs, repeated := p.repeats(v, known.outputs.Grow(n), known.repeated.Grow(n))
	before, _ := find(known.short.Items(), n)
	short := p.truncateFrom(v, n, repeated, known.short.Grow(before))
	next := &remembered{
		limit: p.Limit, after: p.After, count: p.Count, outputs: series.New(outputs),
		repeated: series.New(repeated), short: series.New(short),
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
	const outputBytes, intBytes = 24, 8
	return n + outputBytes*int64(r.outputs.Cap()) + 2*intBytes*int64(r.tokens.Cap())
}

// find returns how many of the short forms are of messages before i, and whether the next is of it.
func find(short []truncated, i int) (before int, found bool) {
	return slices.BinarySearchFunc(short, i, func(s truncated, i int) int { return s.index - i })
}

// sizes returns the tokens of the messages with their short forms, and the sums.
func sizes(
	v *layout.View, known *remembered, n int, short []truncated,
) (tokens, before []int) {
	if known.tokens.Len() < n || n == 0 {
		n = 0
		tokens, before = make([]int, 0, len(v.Tokens)), make([]int, 1, len(v.Tokens)+1)
	} else {
		tokens, before = known.tokens.Grow(n), known.before.Grow(n+1)
	}
	next, _ := find(short, n)
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
