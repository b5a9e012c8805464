package wire

import (
	"strings"
	"testing"

	"killick/chat"
	"killick/messages"
	"killick/proxy"
	"killick/responses"
	"killick/tokenizer"
	"killick/view"
)

// Counts of images are estimates, so nothing is learned from the usage of a request with an image,
// whether its message is new or was seen before.
func TestMediaTeachNothing(t *testing.T) {
	text := `{"role":"user","content":"` + strings.Repeat("words ", 1000) + `"}`
	image := `{"role":"user","content":[{"type":"image_url",` +
		`"image_url":{"url":"https://example.com/a.png"}}]}`
	ratios := newLearnedRatios(tokenizer.New(tokenizer.Options{}), nil)
	var parser view.Parser
	for _, c := range []struct {
		messages string
		learns   bool
	}{
		{text, true}, {text + "," + text, true},
		{text + "," + image, false}, {text + "," + image + "," + text, false},
		{text + "," + text + "," + text, true},
	} {
		req, err := parser.Parse(
			chat.Format, "ann",
			[]byte(`{"model":"claude-sonnet-5","messages":[`+c.messages+`]}`),
		)
		if err != nil {
			t.Fatal(err)
		}
		sent := proxy.Request{Chat: req, Who: "ann"}
		if got := ratios.learner(sent, req.Raw(), 2000) != nil; got != c.learns {
			t.Errorf(
				"a request that ends with %.40s: learned from %t, want %t",
				c.messages[len(c.messages)-40:],
				got,
				c.learns,
			)
		}
	}
}

// The provider does not count results for programs that it runs, so nothing is learned from the
// usage of a request with one.
func TestResultsForProgramsTeachNothing(t *testing.T) {
	text := `{"role":"user","content":"` + strings.Repeat("words ", 1000) + `"}`
	ratios := newLearnedRatios(tokenizer.New(tokenizer.Options{}), nil)
	for _, c := range []struct {
		format view.Format
		item   string
		learns bool
	}{
		{messages.Format, `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"q",
			"input":{},"caller":{"type":"direct"}}]}`, true},
		{messages.Format, `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"q",
			"input":{},"caller":{"type":"code_execution_20260120","tool_id":"s"}}]}`, false},
		// a tool of the client's with such a parameter
		{messages.Format, `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"q",
			"input":{"tool_id":"s","caller_id":"p"}}]}`, true},
		{responses.Format, `{"type":"function_call","call_id":"c","name":"q","arguments":"{}",
			"caller":{"type":"direct"}}`, true},
		{responses.Format, `{"type":"function_call","call_id":"c","name":"q","arguments":"{}",
			"caller":{"type":"program","caller_id":"p"}}`, false},
		{responses.Format, `{"type":"function_call_output","call_id":"c","output":"x",
			"caller":{"type":"program","caller_id":"p"}}`, false},
	} {
		req, err := view.Parse(c.format, []byte(`{"model":"claude-sonnet-5","`+c.format.List()+
			`":[`+text+`,`+c.item+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		got := ratios.learner(proxy.Request{Chat: req, Who: "ann"}, req.Raw(), 2000) != nil
		if got != c.learns {
			t.Errorf("%s: learned from %t, want %t", c.item, got, c.learns)
		}
	}
}
