package view

import (
	"github.com/cespare/xxhash/v2"

	"killick/rawjson"
)

// PreambleHash returns a hash of what precedes the turns of a request in its provider's prompt
// cache: the model, the tools and the instructions, in their order. If one of them changes, the
// cached messages are of no more use. The hash is the same on every machine.
func (r *Request) PreambleHash() uint64 {
	h := xxhash.New()
	add := func(v rawjson.Value) {
		_, _ = h.Write(v)
		_, _ = h.Write([]byte{0})
	}
	add(r.modelField())
	if r.model != "" {
		add(rawjson.Value(r.model))
	}
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

// FirstReplies returns a hash of the first replies of the model, by which conversations that begin
// with the same message are told apart: of their text and the ids of their calls, up to the first
// reply with a call, or of so many replies. It is 0 if there is none. Thinking and cache marks,
// which clients remove later, do not count. The hash is the same on every machine.
func (r *Request) FirstReplies(most int) uint64 {
	h, n := xxhash.New(), 0
	for i := range r.list.Messages {
		m := &r.list.Messages[i]
		if m.Role() != Assistant {
			continue
		}
		text, calls := m.Text(), m.ToolCalls()
		if text == "" && len(calls) == 0 {
			continue // only thinking
		}
		_, _ = h.WriteString(text)
		for _, call := range calls {
			_, _ = h.Write([]byte{0})
			_, _ = h.WriteString(call.ID)
		}
		_, _ = h.Write([]byte{1})
		if n++; n == most || len(calls) > 0 {
			break
		}
	}
	if n == 0 {
		return 0
	}
	return max(h.Sum64(), 1)
}
