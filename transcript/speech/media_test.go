package speech

import (
	"testing"

	"killick/internal/chattest"
	"killick/view"
)

// What tools returned is the client's in a user message too. What a person attached is not.
func TestMediaOfTools(t *testing.T) {
	const image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}`
	like := chattest.Part("Like this.")
	result := chattest.Result("c", "(see following user message for image)")
	reply := chattest.Says(view.Assistant, "I have processed the tool results.")
	type parts []string
	below := func(client int) string { return chattest.Part(mediaTexts[client]) }
	for name, c := range map[string]struct {
		before string
		parts  parts
		want   Speaker
		words  string
	}{
		"pi":                 {result, parts{below(0), image}, Client, ""},
		"pi, behind a reply": {reply, parts{below(0), image}, Client, ""},
		"opencode":           {result, parts{below(1), image}, Client, ""},
		"qwen-code":          {result, parts{below(2), image}, Client, ""},
		"a label of each":    {result, parts{below(2), chattest.Part("0:01"), image}, Client, ""},
		"a reminder beside it": {result, parts{below(2), chattest.Part(reminder), image}, Client,
			""},
		"alone":              {result, parts{image}, Client, ""},
		"alone, for a reply": {reply, parts{image}, Person, ""},
		"alone, the first":   {"", parts{image}, Person, ""},
		"words":              {result, parts{like, image}, Person, "Like this."},
		"words, in the end":  {result, parts{image, like}, Person, "Like this."},
		"the text, no image": {result, parts{below(0)}, Person, mediaTexts[0]},
		"a quotation of them": {reply, parts{chattest.Part("What is " + mediaTexts[0]), image},
			Person, "What is " + mediaTexts[0]},
	} {
		var before *view.Message
		if c.before != "" {
			before = chattest.Message(t, c.before)
		}
		m := Read(chattest.Message(t, chattest.UserParts(c.parts...)), before)
		if m.Speaker != c.want || m.OfTools != (c.want == Client) || m.Words() != c.words ||
			m.OfTools && (m.Spans != nil || m.Blocks != nil) {
			t.Errorf("%s: %q by %s, of tools: %t", name, m.Words(), m.Speaker, m.OfTools)
		}
	}
}
