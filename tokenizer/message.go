package tokenizer

import (
	"killick/rawjson"
	"killick/view"
)

// countMessage counts what measure remembers.
func (m *tables) countMessage(msg *view.Message) (total measured) {
	e, f := m.encoding(), m.format
	n := f.message + e.CountString(string(msg.Role()))
	switch {
	case msg.Role() == view.Assistant:
		n += f.assistant
		if refusal := msg.Field("refusal"); refusal.Kind() == rawjson.String {
			n += e.CountJSON(refusal.StringBody())
		}
	case msg.Role().Result():
		n += f.result
	}
	if name := msg.Name(); name != "" {
		n += f.name + e.CountString(name)
	}
	for part := range msg.Parts() {
		total.add(m.part(part))
	}
	if msg.Role() == view.Assistant {
		for _, call := range msg.ToolCalls() {
			n += m.call(call)
		}
	}
	total.tokens += n
	return total
}

func (m *tables) call(c view.ToolCall) int {
	n := m.format.call + m.encoding().CountString(c.Name)
	if c.Arguments.Kind() == rawjson.String {
		return n + m.encoding().CountJSON(c.Arguments.StringBody())
	}
	return n + m.encoding().Count(c.Arguments) // an object, as some gateways send it
}
