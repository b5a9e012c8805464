package converse

import (
	"testing"

	"killick/internal/viewtest"
)

func TestCallsThatTheServerRunsAreRead(t *testing.T) {
	const call = `{"toolUse":{"toolUseId":"a","name":"nova_grounding","input":{"q":1},` +
		`"type":"server_tool_use"}},`
	for _, c := range []struct{ blocks, want string }{
		{`{"text":"x"},{"toolUse":{"toolUseId":"a","name":"f","input":{}}}`, ""},
		{call + `{"toolResult":{"toolUseId":"a","type":"nova_grounding_result",` +
			`"content":[{"text":"A"},{"image":{}},{"json":{"b":1}}]}}`,
			`nova_grounding {"q":1}: "A\n{\"b\":1}"`},
		{call + `{"toolResult":{"toolUseId":"a","type":"nova_grounding_result",` +
			`"status":"error","content":[]}}`, `nova_grounding {"q":1}: "" failed`},
	} {
		m := parse(t, `{"messages":[{"role":"assistant","content":[`+c.blocks+`]}]}`).Messages()[0]
		if got := viewtest.HostedCalls(&m); got != c.want {
			t.Errorf("%s:\n%s\nwant %s", c.blocks, got, c.want)
		}
	}
}

// What a reply cites is read of web pages, not of the client's documents.
func TestCitedPagesAreRead(t *testing.T) {
	m := parse(t, `{"messages":[{"role":"assistant","content":[{"citationsContent":{
		"content":[{"text":"x"}],"citations":[
		{"title":"A","location":{"web":{"url":"https://a.example","domain":"a.example"}},
			"sourceContent":[{"text":"b"},{"text":"c"}]},
		{"title":"D","location":{"documentChar":{"documentIndex":0,"start":0,"end":1}}}]}}]}]}`)
	if got, want := viewtest.Cited(&m.Messages()[0]), "\"A\" https://a.example: b\nc"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
