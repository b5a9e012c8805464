package chat

import (
	"bytes"
	"cmp"
	"iter"

	"killick/rawjson"
	"killick/view"
	"killick/view/canonical"
)

// Format is the wire format of chat completions.
var Format view.Format = format{}

// format implements [view.Format], which says what its methods do.
type format struct{}

func (format) Name() string   { return "chat" }
func (format) Within() string { return "" }
func (format) List() string   { return "messages" }

// Parse returns the view of the body of a chat request. See [view.Parse].
func Parse(body []byte) (*view.Request, error) { return view.Parse(Format, body) }

// ParseMessage returns the view of one message on its own.
func ParseMessage(raw []byte) (view.Message, error) { return Format.Message(raw) }

func (format) Message(raw []byte) (view.Message, error) {
	return only(Format, raw)
}

// only reads a message that is all of raw.
func only(f view.Format, raw []byte) (view.Message, error) {
	m, end, err := parseMessage(f, raw, 0)
	if err == nil && end != len(raw) {
		err = rawjson.ErrSyntax
	}
	return m, err
}

func (format) Read(l *view.List, at int) (int, error) {
	m, end, err := parseMessage(Format, l.Body, at)
	if err == nil {
		l.Add(m, at)
	}
	return end, err
}

func (format) Spelling() view.Spelling { return view.Spelling{TextPart: "text"} }
func (format) Open(*view.Message) bool { return false }

// parseMessage reads the message that starts at b[at] and returns the offset just past it.
func parseMessage(f view.Format, b []byte, at int) (view.Message, int, error) {
	if at >= len(b) || b[at] != '{' {
		if end, err := rawjson.Skip(b, at); err != nil {
			return view.Message{}, end, err
		}
		return view.Message{}, at, view.ErrNoMessages
	}
	var fields view.Fields
	var role, legacy rawjson.Span
	end, err := rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		var field *rawjson.Span
		skip := rawjson.Skip
		switch string(key.Of(b).TextBytes()) {
		case "role":
			field = &role
		case "content":
			field, skip = &fields.Content, skipParts
		case "name":
			field = &fields.Name
		case "tool_call_id":
			field = &fields.CallID
		case "tool_calls":
			field, skip = &fields.Calls, skipCalls
		case "function_call":
			field, skip = &legacy, skipParts
		case reasoningDetails, thinkingBlocks:
			end, err := skip(b, from)
			if rawjson.Value(b[from:end]).Kind() == rawjson.Array {
				fields.Flags |= view.Signed
			}
			return end, err
		default:
			return skip(b, from)
		}
		return view.ReadOnce(field, b, at, from, skip)
	})
	if err != nil {
		return view.Message{}, end, err
	}
	raw := b[at:end:end]
	switch fields.Role = view.RoleOf(role.Of(raw)); fields.Role {
	case view.System, view.Developer, view.User, view.Assistant, view.Tool, view.Function:
	default:
		fields.Flags |= view.Unknown // local servers' templates may have more roles
	}
	if legacy.Of(raw).Kind() == rawjson.Object {
		fields.Flags |= view.Legacy
	}
	return view.NewMessage(f, raw, fields), end, nil
}

// skipParts skips a content or the function of a legacy call. Their objects are not nested.
func skipParts(b []byte, at int) (int, error) { return view.SkipUnique(b, at, 0) }

// skipCalls skips a list of calls, each of which contains a function or a custom tool.
func skipCalls(b []byte, at int) (int, error) { return view.SkipUnique(b, at, 1) }

// HostedCalls implements [view.Format]: this format sends none back.
func (format) HostedCalls(*view.Message) []view.HostedCall { return nil }

// Cited implements [view.Format]: the pages of annotations, which are all that a message has of the
// provider's searches. Source: openai-go v3.95.0, ChatCompletionMessageAnnotation.
func (format) Cited(m *view.Message) (list []view.Source) {
	if !bytes.Contains(m.Raw, []byte(`"annotations"`)) {
		return nil // as in most messages: it is not worth a walk
	}
	for note := range m.Field("annotations").Elements() {
		of := note.Get("url_citation").GetEach("title", "url")
		list = view.AppendSource(list, of[0], of[1])
	}
	return list
}

// ToolCalls implements [view.Format], including a legacy function_call.
func (format) ToolCalls(m *view.Message) []view.ToolCall {
	var calls []view.ToolCall
	for raw := range m.Fields().Calls.Of(m.Raw).Elements() {
		of := raw.GetEach("id", "type", "function", "custom")
		called := of[2].GetEach("name", "arguments")
		if of[1].Is("custom") {
			called = of[3].GetEach("name", "input")
		}
		calls = append(calls, view.ToolCall{
			Raw: raw, ID: of[0].Text(), Type: cmp.Or(of[1].Text(), "function"),
			Name: called[0].Text(), Arguments: called[1],
		})
	}
	if m.Is(view.Legacy) {
		raw := m.Field("function_call")
		called := raw.GetEach("name", "arguments")
		calls = append(calls, view.ToolCall{
			Raw: raw, Type: "function", Legacy: true,
			Name: called[0].Text(), Arguments: called[1],
		})
	}
	return calls
}

func (format) Parts(m *view.Message) iter.Seq[view.Part] {
	return func(yield func(view.Part) bool) {
		content := m.Content()
		switch content.Kind() {
		case rawjson.String:
			if len(content) > 2 {
				yield(view.Part{Type: "text", Raw: content, Text: content})
			}
		case rawjson.Array:
			for raw := range content.Elements() {
				part := view.Part{Type: raw.Get("type").Text(), Raw: raw}
				switch {
				case raw.Kind() == rawjson.String: // some clients send bare strings
					part.Type, part.Text = "text", raw
				case part.Type == "text" || part.Type == "refusal":
					part.Key, part.Text = part.Type, raw.Get(part.Type)
				}
				if !yield(part) {
					return
				}
			}
		}
	}
}

func (format) WithContent(m *view.Message, content []byte) []byte {
	return rawjson.Replace(m.Raw, m.Fields().Content, content)
}

// AppendCanonical implements [view.Format]. It adds refusals, audio and the pages that
// a reply cites.
func (format) AppendCanonical(dst []byte, m *view.Message) []byte {
	dst = canonical.AppendItem(dst, 'r', []byte(m.Role()))
	dst = canonical.AppendText(dst, canonical.TagName, m.Fields().Name.Of(m.Raw))
	dst = canonical.AppendText(dst, canonical.TagCallID, m.Fields().CallID.Of(m.Raw))
	for part := range m.Parts() {
		if part.Text != nil && part.Type == "text" {
			dst = canonical.AppendText(dst, canonical.TagText, part.Text)
			continue
		}
		dst = canonical.AppendValue(append(dst, canonical.TagPart), part.Raw)
	}
	if m.Role() == view.Assistant {
		dst = canonical.AppendText(dst, 'x', m.Field("refusal"))
		if audio := m.Field("audio"); audio.Kind() == rawjson.Object {
			dst = canonical.AppendValue(append(dst, 'a'), audio)
		}
		dst = canonical.AppendSources(dst, m.Cited())
	}
	for call := range m.Fields().Calls.Of(m.Raw).Elements() {
		dst = canonical.AppendValue(append(dst, canonical.TagCall), call)
	}
	if m.Is(view.Legacy) {
		dst = canonical.AppendValue(append(dst, 'f'), m.Field("function_call"))
	}
	return dst
}

// Mark implements [view.Format]: marks stay where the client set them.
func (format) Mark(_ *view.Request, pieces []view.Piece) []view.Piece { return pieces }

func (format) Preamble(r *view.Request) view.Preamble {
	s := view.Preamble{
		Tools:  []rawjson.Value{r.Field("tools"), r.Field("functions")},
		Choice: r.Field("tool_choice"),
		Schema: r.Field("response_format").Get("json_schema"),
	}
	if s.Choice == nil {
		s.Choice = r.Field("function_call")
	}
	return s
}

func (format) Limits(r *view.Request) (l view.Limits) {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if n, ok := r.Field(name).Int(); ok {
			l.Output = n
			break
		}
	}
	return l
}
