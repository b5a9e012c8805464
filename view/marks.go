package view

import (
	"bytes"

	"killick/internal/series"
	"killick/rawjson"
)

// MarkNames are the names of the members that say how far the provider is to cache. Sources:
// Anthropic, "Prompt caching"; OpenAI, "Prompt caching" (explicit breakpoints of content parts).
var MarkNames = [...]string{"cache_control", "prompt_cache_breakpoint"}

// inMarkNames is in each of them. A text is searched for it first.
var inMarkNames = []byte("cache_")

var quotedMarkNames = [...][]byte{[]byte(`"cache_control"`), []byte(`"prompt_cache_breakpoint"`)}

// IsMark reports whether a member of this name is a mark.
func IsMark(key rawjson.Value) bool {
	for _, name := range MarkNames {
		if key.Is(name) {
			return true
		}
	}
	return false
}

// MayBeMarked reports whether the name of a mark, as it is mostly spelled, is in a text.
func MayBeMarked(raw []byte) bool {
	if !bytes.Contains(raw, inMarkNames) {
		return false
	}
	for _, name := range quotedMarkNames {
		if bytes.Contains(raw, name) {
			return true
		}
	}
	return false
}

// MayBeMarked reports whether a mark, as it is mostly spelled, may be in the message. A content
// that is a string is not searched: it holds no members.
func (m *Message) MayBeMarked() bool {
	raw, content := m.Raw, m.fields.Content
	if m.Content().Kind() != rawjson.String {
		return MayBeMarked(raw)
	}
	return MayBeMarked(raw[:content.Start]) || MayBeMarked(raw[content.End:])
}

// MaybeMarked records which messages of a request may hold a mark.
type MaybeMarked struct {
	messages []Message
	lead     int    // messages before those of the list
	marked   []bool // of the others
}

// At reports whether message i may hold a mark.
func (m MaybeMarked) At(i int) bool {
	if i < m.lead {
		return m.messages[i].MayBeMarked()
	}
	return m.marked[i-m.lead]
}

// markedKey is where that is kept in a [Memory].
type markedKey struct{}

// MaybeMarked reads those messages that the conversation did not have before.
func (r *Request) MaybeMarked() MaybeMarked {
	m := MaybeMarked{messages: r.list.Messages}
	for m.lead < len(m.messages) && m.messages[m.lead].Role().Instructs() {
		m.lead++
	}
	all := m.messages[m.lead:]
	kept, n := r.memory.Load(markedKey{})
	known, _ := kept.(series.Of[bool])
	if n == len(all) && known.Len() == n {
		m.marked = known.Items()
		return m
	}
	m.marked = known.Grow(min(n, known.Len()))
	for i := len(m.marked); i < len(all); i++ {
		m.marked = append(m.marked, all[i].MayBeMarked())
	}
	next := series.New(m.marked)
	r.memory.Store(markedKey{}, next, len(all), int64(next.Cap()))
	return m
}

// MarkOf returns the mark of an object with its name, nil if it has none.
func MarkOf(object rawjson.Value) (name string, mark rawjson.Value) {
	for _, name := range MarkNames {
		if mark := object.Get(name); mark.Kind() == rawjson.Object {
			return name, mark
		}
	}
	return "", nil
}

// WithoutMarks returns an object without its marks.
func WithoutMarks(object rawjson.Value) rawjson.Value {
	for _, name := range MarkNames {
		object = object.Without(name)
	}
	return object
}
