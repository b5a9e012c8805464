package responses

import (
	"bytes"
	"strings"
	"testing"

	"killick/internal/viewtest"
)

// Of a call that the server ran, its arguments and its result are read.
func TestCallsThatTheServerRunsAreRead(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{`{"type":"message","role":"assistant","content":"x"}`, ""},
		{`{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`, ""},
		{`{"type":"web_search_call","status":"completed","action":{"type":"search","query":"a",
			"queries":["a","b"],"sources":[{"type":"url","url":"https://a.example"},
			{"type":"url","url":"https://b.example"}]}}`,
			`web_search {"queries":["a","b"]}: "https://a.example\nhttps://b.example"`},
		{`{"type":"web_search_call","status":"failed","action":{"type":"open_page","url":"u"}}`,
			`web_search {"url":"u"}: "" failed`},
		{`{"type":"web_search_call","status":"completed"}`, `web_search : ""`},
		{`{"type":"web_search_call","status":"completed","action":{"type":"search",` +
			`"query":"a","queries":[]}}`, `web_search {"query":"a","queries":[]}: ""`},
		{`{"type":"file_search_call","status":"completed","queries":["a"],"results":[
			{"file_id":"f","filename":"a.pdf","text":"B"},{"filename":"c.md","text":"D"}]}`,
			`file_search {"queries":["a"]}: "a.pdf\nc.md\nB\nD"`},
		{`{"type":"file_search_call","status":"completed","queries":["a"],"results":null}`,
			`file_search {"queries":["a"]}: ""`},
		{`{"type":"code_interpreter_call","status":"completed","code":"print(1)","outputs":[
			{"type":"logs","logs":"1\n"},{"type":"image","url":"data:"}]}`,
			`run code_interpreter {"code":"print(1)"}: "1\n"`},
		{`{"type":"code_interpreter_call","status":"incomplete","code":null,"outputs":null}`,
			`run code_interpreter {"code":null}: ""`},
		{`{"type":"image_generation_call","status":"completed","result":"iVBORw0="}`,
			`image_generation : ""`},
		{`{"type":"mcp_call","server_label":"wiki","name":"find","arguments":"{\"q\":1}",
			"output":"B","error":null}`, `wiki.find "{\"q\":1}": "B"`},
		{`{"type":"mcp_call","server_label":"wiki","name":"find","arguments":"{}","output":null,
			"error":"no"}`, `wiki.find "{}": "no" failed`},
		{`{"type":"mcp_call","name":"find","arguments":"{}",
			"error":{"type":"http_error","code":500,"message":"down"}}`,
			`find "{}": "down" failed`},
		{`{"type":"mcp_call","name":"find","arguments":"{}","error":{
			"type":"mcp_tool_execution_error","content":[{"type":"text","text":"no file"},
			{"type":"image","data":"iVBORw0="},{"type":"text","text":"b.go"}]}}`,
			`find "{}": "no file\nb.go" failed`},
	} {
		m := parse(t, c.item).Messages()[0]
		if got := viewtest.HostedCalls(&m); got != c.want {
			t.Errorf("%s:\n%s\nwant %s", c.item, got, c.want)
		}
	}
}

// What a turn cites is read of each of its messages. A conversation in which it cites something
// else, or in which a call of the server failed, is another one.
func TestCitedSourcesAreRead(t *testing.T) {
	const items = `{"type":"message","role":"assistant","content":[{"type":"output_text",
		"text":"x","annotations":[{"type":"url_citation","url":"https://a.example","title":"A",
		"start_index":0,"end_index":1},{"type":"file_path","file_id":"f"}]}]},
		{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"y",
		"annotations":[{"type":"file_citation","filename":"b.pdf","index":1}]}]}`
	m := parse(t, items).Messages()[0]
	if got, want := viewtest.Cited(&m), "\"A\" https://a.example\n\"b.pdf\" "; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for change, same := range map[[2]string]bool{
		{"a.example", "c.example"}:         false,
		{"completed", "failed"}:            false,
		{"completed", "searching"}:         true,
		{`"end_index":1`, `"end_index":2`}: true,
		{`"filename":"b.pdf"`, `"id":"f"`}: false,
	} {
		other := parse(t, strings.Replace(items, change[0], change[1], 1)).Messages()[0]
		if got := bytes.Equal(m.AppendCanonical(nil), other.AppendCanonical(nil)); got != same {
			t.Errorf("%s: the same %t, want %t", change, got, same)
		}
	}
}
