package responses

import (
	"killick/rawjson"
	"killick/view"
)

// Format is the wire format of the Responses API.
var Format view.Format = format{}

// format implements [view.Format], which says what its methods do.
type format struct{}

func (format) Name() string   { return "responses" }
func (format) Within() string { return "" }
func (format) List() string   { return "input" }

func (format) Read(l *view.List, at int) (int, error) {
	it, end, err := readItem(l.Body, at)
	if err != nil {
		return end, err
	}
	last := len(l.Messages) - 1
	if it.side != turn || last < 0 || !Format.Open(&l.Messages[last]) {
		l.Add(view.NewMessage(Format, it.raw, it.fields()), at)
		return end, nil
	}
	m := l.Extend(end)
	extend(m, &it)
	return end, nil
}

// extend updates the fields of a turn to whose Raw an item was added.
func extend(m *view.Message, it *item) {
	f := m.Fields()
	f.Flags |= view.Several | it.flags()
	f.Content = rawjson.Span{}
	if it.calls() {
		from := len(m.Raw) - len(it.raw)
		if f.Calls.End != 0 {
			from = int(f.Calls.Start)
		}
		f.Calls = rawjson.SpanOf(from, len(m.Raw))
	}
}

// Open implements [view.Format]. All messages of the assistant are turns, which may go on.
func (format) Open(m *view.Message) bool { return m.Role() == view.Assistant }

func (format) Message(raw []byte) (view.Message, error) {
	it, end, err := readItem(raw, 0)
	if err != nil {
		return view.Message{}, err
	}
	m := view.NewMessage(Format, it.raw, it.fields())
	for end != len(raw) {
		if end = rawjson.Space(raw, end); end >= len(raw) || raw[end] != ',' || it.side != turn {
			return view.Message{}, rawjson.ErrSyntax
		}
		if it, end, err = readItem(raw, rawjson.Space(raw, end+1)); err != nil {
			return view.Message{}, err
		}
		if it.side != turn {
			return view.Message{}, rawjson.ErrSyntax
		}
		m.Raw = raw[:end:end]
		extend(&m, &it)
	}
	return m, nil
}

func (format) ToolCalls(m *view.Message) []view.ToolCall {
	var calls []view.ToolCall
	for it := range items(m.Fields().Calls.Of(m.Raw)) {
		if !it.calls() {
			continue
		}
		c := it.kind.call(it.raw)
		calls = append(calls, view.ToolCall{Raw: it.raw, ID: c.id, Type: c.typ, Name: c.name,
			Arguments: c.arguments, ByProgram: it.byProgram()})
	}
	return calls
}

// HostedCalls implements [view.Format]. An item has both a call and its result.
func (format) HostedCalls(m *view.Message) (calls []view.HostedCall) {
	for it := range items(m.Raw) {
		if it.kind.ran != nil {
			calls = append(calls, it.kind.ran(it.raw))
		}
	}
	return calls
}

// Cited implements [view.Format].
func (format) Cited(m *view.Message) (list []view.Source) {
	for it := range items(m.Raw) {
		if it.isMessage() {
			for part := range it.content.Of(it.raw).Elements() {
				list = appendCited(list, part)
			}
		}
	}
	return list
}
