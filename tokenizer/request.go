package tokenizer

import "killick/view"

// Breakdown has the tokens of a request by its parts.
type Breakdown struct {
	Total    int
	Messages []int // of each message, in order
	Tools    int   // the definitions of tools and functions
	Overhead int   // the rest: what primes the reply, a response format, a forced choice of tool
}

// Request counts a request.
func (m Model) Request(req *view.Request) Breakdown {
	msgs, x := req.Messages(), extrasOf(req)
	b := Breakdown{
		Messages: make([]int, len(msgs)),
		Tools:    m.tools(x),
		Overhead: m.frame(x),
	}
	b.Total = b.Tools + b.Overhead
	for i := range msgs {
		b.Messages[i] = m.Message(&msgs[i])
		b.Total += b.Messages[i]
	}
	return b
}

// Overhead returns the tokens of a request outside its messages.
func (m Model) Overhead(req *view.Request) int {
	x := extrasOf(req)
	return m.tools(x) + m.frame(x)
}
