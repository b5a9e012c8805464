package tokenizer

import (
	"killick/rawjson"
	"killick/view"
)

// format is what the frame of a message costs.
//
// Source of chatML: OpenAI cookbook, "How to count tokens with tiktoken", which
// counts 3 a message, the role as text, 1 for a name and 3 for the primed
// reply; and, for calls, hmarr's openai-chat-tokens: the name, the arguments
// and 3. Source of harmony: docs/format.md of openai/harmony, where the frame
// is written out token by token.
type format struct {
	message   int // of any message
	name      int // of a name, beside its text
	reply     int // of the primed reply
	assistant int // of the channel of an assistant's message
	call      int // of one call, beside its name and arguments
	result    int // of the header of a tool's message
	system    string
	// preface is text that is in front of the instructions once.
	preface string
}

var chatML = format{message: 3, name: 1, reply: 3, call: 3}

var harmony = format{
	message: 3, // <|start|> … <|message|> … <|end|>
	name:    1, // ":"
	reply:   2, // <|start|>assistant

	assistant: 2, // <|channel|>final
	// <|start|>assistant to=functions. <|channel|>commentary <|constrain|>json<|message|> <|call|>
	call: 13,
	// functions.NAME to=assistant<|channel|>commentary; the name is not in the
	// message, so 3 for it
	result: 9,

	system: "You are ChatGPT, a large language model trained by OpenAI.\n" +
		"Knowledge cutoff: 2024-06\nCurrent date: 2025-06-28\n\nReasoning: medium\n\n" +
		"# Valid channels: analysis, commentary, final. " +
		"Channel must be included for every message.",
	preface: "# Instructions\n\n",
}

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
