package view

import (
	"github.com/cespare/xxhash/v2"

	"killick/rawjson"
)

// Leading returns a hash of the parts that precede the messages of a request in its provider's
// prompt cache: the model, the tools and the instructions, in their order. If one of them changes,
// the cached messages are of no more use. The hash is the same on every machine.
func (r *Request) Leading() uint64 {
	h := xxhash.New()
	add := func(v rawjson.Value) {
		_, _ = h.Write(v)
		_, _ = h.Write([]byte{0})
	}
	add(r.Field("model"))
	preamble := r.Preamble()
	for _, tools := range preamble.Tools {
		add(tools)
	}
	for _, text := range preamble.Instructions {
		add(text)
	}
	for i := range r.list.Messages {
		m := &r.list.Messages[i]
		if !m.Role().Instructs() {
			break
		}
		add(m.Content())
	}
	return h.Sum64()
}
