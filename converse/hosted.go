package converse

import (
	"strings"

	"killick/rawjson"
	"killick/view"
)

// HostedCalls implements [view.Format].
func (format) HostedCalls(m *view.Message) (calls []view.HostedCall) {
	for k := range blocks(m) {
		raw := m.Raw[k.start:k.end]
		switch k.kind {
		case hosted:
			calls = append(calls, view.HostedCall{ID: k.id.Of(raw).Text(),
				Name: k.tool.Of(raw).Text(), Arguments: k.input.Of(raw)})
		case hostedEnd:
			calls = view.AnswerHosted(calls, k.id.Of(raw).Text(), view.HostedResult{
				Text:   textOf(k.content.Of(raw)),
				Failed: k.status.Of(raw).Is("error"), Exit: -1,
			})
		}
	}
	return calls
}

// textOf returns the texts and the JSON in a list of blocks, each on lines of its own.
func textOf(content rawjson.Value) string {
	var texts []string
	for raw := range content.Elements() {
		if text := raw.Get("text"); text != nil {
			texts = append(texts, text.Text())
		} else if object := raw.Get("json"); object != nil {
			texts = append(texts, string(object))
		}
	}
	return strings.Join(texts, "\n")
}
