package gemini

import (
	"bytes"
	"iter"

	"killick/rawjson"
	"killick/view"
	"killick/view/canonical"
)

// parts yields the parts of a message with their places in Raw; of a result, the result itself.
func parts(m *view.Message) iter.Seq[part] {
	run := m.Is(view.Several) || m.Role().Result()
	return view.Blocks(m, run, func(b []byte, at int) (p part, end int, err error) {
		end, err = p.read(b, at)
		return p, end, err
	})
}

// The types of parts, as far as others tell them apart.
const (
	typeText    = "text"
	typeThought = "thought"
	typeMedia   = "inlineData"
)

// Parts implements [view.Format]: the parts of the content except calls; of a result, the response
// and the media beside it. What the model thought has no Text, so that it is never quoted.
func (format) Parts(m *view.Message) iter.Seq[view.Part] {
	if m.Role().Result() {
		return resultParts(m)
	}
	return func(yield func(view.Part) bool) {
		for p := range parts(m) {
			if p.kind == call && m.Role() == view.Assistant {
				continue
			}
			if !yield(p.view(m.Raw)) {
				return
			}
		}
	}
}

// view returns the part as others see it. b is what it was read from.
func (p *part) view(b []byte) view.Part {
	out := view.Part{Raw: b[p.start:p.end]}
	switch p.kind {
	case text:
		out.Type = typeText
		if data := p.data.Of(out.Raw); data.Kind() == rawjson.String {
			out.Key, out.Text = "text", data
		}
	case thought:
		out.Type = typeThought
	case media:
		out.Type = typeMedia
	}
	return out
}

// resultParts yields the response of a result and the media beside it, which are parts too. A
// response that is not one string is one text, its JSON.
func resultParts(m *view.Message) iter.Seq[view.Part] {
	return func(yield func(view.Part) bool) {
		response := m.Content()
		switch kind := response.Kind(); {
		case kind == rawjson.String && len(response) == len(`""`):
			response = nil
		case kind == rawjson.Object || kind == rawjson.Array:
			response = rawjson.AppendQuoted(nil, string(response))
		case kind != rawjson.String:
			response = nil
		}
		if response != nil &&
			!yield(view.Part{Type: typeText, Raw: response, Text: response}) {
			return
		}
		for p := range parts(m) {
			for el := range p.media.Of(m.Raw[p.start:]).Elements() {
				var beside part
				_, err := beside.read(el, 0)
				if err == nil && beside.kind != media {
					beside.kind = unknown
				}
				if err != nil || !yield(beside.view(el)) {
					return
				}
			}
		}
	}
}

// callsOf returns the values of the functionCall members of a message of the model.
func callsOf(m *view.Message) (list []rawjson.Value) {
	if m.Fields().Calls.End == 0 {
		return nil
	}
	for p := range parts(m) {
		if p.kind == call {
			list = append(list, p.data.Of(m.Raw[p.start:p.end]))
		}
	}
	return list
}

// ToolCalls implements [view.Format]. Calls are identified by their names and order.
func (format) ToolCalls(m *view.Message) []view.ToolCall {
	var calls []view.ToolCall
	var before map[string]int
	for i, raw := range callsOf(m) {
		name := raw.Get("name").Text()
		if i == 0 {
			before = map[string]int{}
		}
		calls = append(calls, view.ToolCall{
			Raw: raw, Type: "function", ID: view.RepeatedID(name, before[name]), Name: name,
			Arguments: raw.Get("args"),
		})
		before[name]++
	}
	return calls
}

// WithContent implements [view.Format]. A response that is not one string is replaced as a whole.
func (format) WithContent(m *view.Message, content []byte) []byte {
	content = bytes.TrimSpace(content)
	kind := rawjson.Value(content).Kind()
	if m.Role().Result() {
		if m.Content().Kind() != rawjson.String && kind != rawjson.Object {
			content = append(append([]byte(`{"output":`), content...), '}')
		}
		return rawjson.Replace(m.Raw, m.Fields().Content, content)
	}
	if kind == rawjson.String {
		content = append(spelling.AppendText([]byte{'['}, content), ']')
	}
	return m.WithBlocks(content)
}

// WithoutSigned implements [view.Format]. Signatures are those of single parts. They depend on
// nothing else in the request and stay with their parts.
func (format) WithoutSigned(m *view.Message) []byte { return m.Raw }

// The tags of canonical bytes that are this format's own.
const (
	tagMessage = 'g' // and of a result
	tagRun     = 'h'
)

// AppendCanonical implements [view.Format]. It leaves out thoughts and signatures, which clients
// drop later or replace.
func (format) AppendCanonical(dst []byte, m *view.Message) []byte {
	dst = canonical.AppendRole(dst, m, tagMessage, tagRun)
	for p := range parts(m) {
		raw := rawjson.Value(m.Raw[p.start:p.end])
		data := p.data.Of(raw)
		switch p.kind {
		case thought:
		case text:
			dst = canonical.AppendText(dst, canonical.TagText, data)
		case call:
			dst = canonical.AppendValue(append(dst, canonical.TagCall), data)
		case result:
			dst = canonical.AppendValue(append(dst, canonical.TagResult), data)
		case media, own:
			dst = canonical.AppendValue(append(dst, canonical.TagPart), data)
		default:
			dst = canonical.AppendValue(append(dst, canonical.TagPart), raw)
		}
	}
	return dst
}
