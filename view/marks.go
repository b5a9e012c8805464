package view

import (
	"bytes"

	"killick/internal/series"
	"killick/rawjson"
)

// MarkNames are the names of the members that mark up to where the provider caches. Sources:
// Anthropic, "Prompt caching"; OpenAI, "Prompt caching" (explicit breakpoints of content parts);
// Amazon Bedrock, "Prompt caching" (the only member of a block of its own).
var MarkNames = [...]string{"cache_control", "prompt_cache_breakpoint", "cachePoint"}

// inMarkNames is a part of each of them, which is searched for first.
var inMarkNames = []byte("cache")

var quotedMarkNames = [...][]byte{
	[]byte(`"cache_control"`), []byte(`"prompt_cache_breakpoint"`), []byte(`"cachePoint"`),
}

// IsMark reports whether a member of this name is a mark.
func IsMark(key rawjson.Value) bool {
	for _, name := range MarkNames {
		if key.Is(name) {
			return true
		}
	}
	return false
}

// MayBeMarked reports whether a text contains the name of a mark in its usual spelling.
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

// MayBeMarked reports whether the message may have a mark in its usual spelling. It does not search
// a content that is a string, which has no members.
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
	lead     int    // the number of leading instructions
	marked   []bool // of the messages after them
}

// At reports whether message i may hold a mark.
func (m MaybeMarked) At(i int) bool {
	if i < m.lead {
		return m.messages[i].MayBeMarked()
	}
	return m.marked[i-m.lead]
}

// markedKey is the key of a MaybeMarked in a [Memory].
type markedKey struct{}

// MaybeMarked returns which messages may hold a mark. It only reads messages that are new in the
// conversation.
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

// MarkOf returns the mark of an object and its name; the mark is nil if there is none.
func MarkOf(object rawjson.Value) (name string, mark rawjson.Value) {
	for _, name := range MarkNames {
		if mark := object.Get(name); mark.Kind() == rawjson.Object {
			return name, mark
		}
	}
	return "", nil
}

// CountMarks returns how many elements of lists have a mark of this name.
func CountMarks(name string, lists ...rawjson.Value) (n int) {
	for _, list := range lists {
		for el := range list.Elements() {
			if el.Get(name).Kind() == rawjson.Object {
				n++
			}
		}
	}
	return n
}

// WithoutMarks returns an object without its marks.
func WithoutMarks(object rawjson.Value) rawjson.Value {
	for _, name := range MarkNames {
		object = object.Without(name)
	}
	return object
}
