package chat

import (
	"iter"
	"math"
	"slices"

	"killick/rawjson"
	"killick/view"
	"killick/view/canonical"
)

// Ollama is the wire format of Ollama's own chat, POST /api/chat. Source: docs/api.md and
// api/types.go of ollama/ollama. It is that of chat completions but for this:
//   - a content is a string, images are a list beside it, and so is what the model thought;
//   - the arguments of a call are an object;
//   - a call may have an id, a result the id or the name of its call; many clients send neither;
//   - the request sets the window.
var Ollama view.Format = ollama{}

// ollama implements [view.Format] where it differs from chat completions.
type ollama struct{ format }

func (ollama) Name() string { return "ollama" }

// Spelling implements [view.Format]. Ollama joins consecutive messages of a role: collate in
// template/template.go.
func (ollama) Spelling() view.Spelling { return view.Spelling{TextPart: "text", JoinsTurns: true} }

func (ollama) Message(raw []byte) (view.Message, error) { return only(Ollama, raw) }

func (ollama) Read(l *view.List, at int) (int, error) {
	m, end, err := parseMessage(Ollama, l.Body, at)
	if err == nil {
		if m.Role().Result() {
			m.Fields().Repeat = answers(l, &m)
			m.Fields().CallID = rawjson.Span{} // calls have no ids here: see ToolCalls
		}
		l.Add(m, at)
	}
	return end, err
}

// ToolCalls implements [view.Format]. Calls are identified by their order, as are results.
func (o ollama) ToolCalls(m *view.Message) []view.ToolCall {
	calls := o.format.ToolCalls(m)
	for i := range calls {
		calls[i].ID = view.RepeatedID("", i)
	}
	return calls
}

// maxResults is how many messages between a turn of the model and a result are looked at to find
// the call that it answers. Further results answer the calls in their order.
const maxResults = 32

// answers returns which call of the last model turn a result answers: the one with its id, else
// the first of its name that has no result, else the first without a result. LangChain.js (1.3.0)
// sends results without both, ai-sdk-ollama (4.3.0) with the name, ollama-ai-provider-v2 (3.6.0)
// with the id.
func answers(l *view.List, m *view.Message) uint16 {
	first := len(l.Messages)
	for first > 0 && len(l.Messages)-first < maxResults &&
		l.Messages[first-1].Role() != view.Assistant {
		first--
	}
	before := l.Messages[first:]
	taken := func(call int) bool {
		return slices.ContainsFunc(before, func(m view.Message) bool {
			return m.Role().Result() && int(m.Fields().Repeat) == call
		})
	}
	next := 0
	if n := len(before); n == maxResults {
		next = int(before[n-1].Fields().Repeat) + 1
	}
	for taken(next) {
		next++
	}
	id, name := m.Fields().CallID.Of(m.Raw).Text(), calledName(m).Text()
	if first == 0 {
		return uint16(min(next, math.MaxUint16))
	}
	turn, i, named := &l.Messages[first-1], -1, -1
	for call := range turn.Fields().Calls.Of(turn.Raw).Elements() {
		switch i++; {
		case id != "" && call.Get("id").Is(id):
			return uint16(min(i, math.MaxUint16))
		case named < 0 && call.Get("function").Get("name").Is(name) && !taken(i):
			named = i
		}
	}
	if named >= 0 {
		next = named
	}
	return uint16(min(next, math.MaxUint16))
}

// calledName returns the name of the call that a result answers. It is in name in older requests.
func calledName(m *view.Message) rawjson.Value {
	if name := m.Field("tool_name"); name != nil {
		return name
	}
	return m.Fields().Name.Of(m.Raw)
}

// Parts implements [view.Format]. What the model thought has no Text, so that it is never quoted.
func (o ollama) Parts(m *view.Message) iter.Seq[view.Part] {
	return func(yield func(view.Part) bool) {
		if thought := m.Field("thinking"); len(thought.StringBody()) > 0 &&
			!yield(view.Part{Type: "thinking", Raw: thought}) {
			return
		}
		for part := range o.format.Parts(m) {
			if !yield(part) {
				return
			}
		}
		for raw := range m.Field(images).Elements() {
			if !yield(view.Part{Type: "image", Raw: raw}) {
				return
			}
		}
	}
}

// images is the member with the images of a message, in base64.
const images = "images"

// WithContent implements [view.Format]. A list of parts becomes a text with the images beside it.
func (ollama) WithContent(m *view.Message, content []byte) []byte {
	if rawjson.Value(content).Kind() != rawjson.Array {
		return rawjson.Replace(m.Raw, m.Fields().Content, content)
	}
	text, list := []byte{'"'}, []byte{'['}
	for part := range rawjson.Value(content).Elements() {
		if part.Kind() == rawjson.String {
			list = append(separated(list, ","), part...)
		} else {
			text = append(separated(text, `\n\n`), part.Get("text").StringBody()...)
		}
	}
	if list = append(list, ']'); len(list) == len(`[]`) {
		list = nil
	}
	raw := rawjson.Replace(m.Raw, m.Fields().Content, append(text, '"'))
	return rawjson.WithMembers(raw, map[string]rawjson.Value{images: list})
}

// separated returns the beginning of a text or a list with a separator, if it has anything yet.
func separated(b []byte, by string) []byte {
	if len(b) > 1 {
		b = append(b, by...)
	}
	return b
}

// tagOllama begins the canonical bytes of a message.
const tagOllama = 'l'

// AppendCanonical implements [view.Format]. It leaves out what the model thought, and ids, which
// not all clients send.
func (ollama) AppendCanonical(dst []byte, m *view.Message) []byte {
	dst = canonical.AppendItem(dst, tagOllama, []byte(m.Role()))
	dst = canonical.AppendText(dst, canonical.TagName, calledName(m))
	for part := range m.Parts() {
		switch {
		case part.Type == "thinking" && part.Raw.Kind() == rawjson.String:
		case part.Text != nil && part.Type == "text":
			dst = canonical.AppendText(dst, canonical.TagText, part.Text)
		default:
			dst = canonical.AppendValue(append(dst, canonical.TagPart), part.Raw)
		}
	}
	for call := range m.Fields().Calls.Of(m.Raw).Elements() {
		function := call.Get("function")
		dst = append(dst, canonical.TagCall)
		dst = canonical.AppendText(dst, canonical.TagName, function.Get("name"))
		dst = canonical.AppendValue(dst, function.Get("arguments"))
	}
	return dst
}

func (ollama) Preamble(r *view.Request) view.Preamble {
	p := view.Preamble{Tools: []rawjson.Value{r.Field("tools")}}
	if schema := r.Field("format"); schema.Kind() == rawjson.Object {
		p.Schema = schema
	}
	return p
}

func (ollama) Limits(r *view.Request) (l view.Limits) {
	options := r.Field("options")
	l.Output, _ = options.Get("num_predict").Int()
	l.Window, _ = options.Get("num_ctx").Int()
	return l
}

// Rules implements [view.Format].
func (ollama) Rules(*view.Request) view.Rules { return view.Rules{} }
