package messages

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/view"
)

// turnsOf returns a conversation, of one letter for each message: u is the user's text, r results;
// each of the model's calls a tool of the client, and d also one that the API runs and whose result
// comes later, e has that result, b has it and defers another, w has a call and its result, p is
// made by a program.
func turnsOf(t testing.TB, script string) *view.Request {
	t.Helper()
	const (
		run    = `{"type":"server_tool_use","id":"s","name":"web_fetch","input":{}}`
		result = `{"type":"web_fetch_tool_result","tool_use_id":"s","content":[]}`
	)
	var all []string
	for i, c := range script {
		call := fmt.Sprintf(`{"type":"tool_use","id":"%d","name":"q","input":{}}`, i)
		by := strings.Replace(call, `{}`, `{},"caller":{"type":"code_execution_20260120"}`, 1)
		blocks := map[rune]string{'a': call, 'd': run + `,` + call, 'e': result + `,` + call,
			'b': result + `,` + run + `,` + call, 'w': run + `,` + result + `,` + call, 'p': by}[c]
		switch c {
		case 'u':
			all = append(all, `{"role":"user","content":"x"}`)
		case 'r':
			all = append(all, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result",`+
				`"tool_use_id":"%d","content":"x"}]}`, i-1))
		default:
			all = append(all, `{"role":"assistant","content":[`+blocks+`]}`)
		}
	}
	return parse(t, `{"messages":[`+strings.Join(all, ",")+`]}`)
}

// A call that the API runs and its result may be in two messages of the model. These, and what is
// between them, are one group.
func TestCallsThatTheAPIRunsStayWithTheirResults(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"uarar", "u|ar|ar"},
		{"uwrar", "u|wr|ar"},
		{"udrerar", "u|drer|ar"},
		{"udrprprerar", "u|drprprer|ar"},
		{"udrbrerar", "u|drbrer|ar"},
		{"uarder", "u|ar|der!"}, // calls of the client without results
		{"udr", "u|dr!"},
		{"udrpr", "u|dr!|pr"},
		{"udrbr", "u|drbr!"},
		{"udrarar", "u|dr|ar|ar"}, // neither the result nor a program
		{"udrprarar", "u|dr|pr|ar|ar"},
		{"udrarer", "u|dr|ar|er"},
		{"udruar", "u|dr|u|ar"},      // the turn has ended without the result
		{"udruerar", "u|dr|u|er|ar"}, // no result of it
		{"uerar", "u|er|ar"},
	} {
		var got []string
		for _, g := range view.Groups(turnsOf(t, test.script).Messages()) {
			part := test.script[g.Start:g.End]
			if g.Open {
				part += "!"
			}
			got = append(got, part)
		}
		if got := strings.Join(got, "|"); got != test.want {
			t.Errorf("%s: %s, want %s", test.script, got, test.want)
		}
	}
}

// However such a conversation is split into requests, and wherever it is resumed, its groups are
// the same.
func TestDeferredCallsAreThoseOfTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	open := func(g view.Grouping) int { return g.FirstOpen(view.Rules{LateResults: true}) }
	for range 2000 {
		script := "u"
		for range rng.IntN(12) {
			script += []string{"ar", "dr", "er", "br", "wr", "pr", "u"}[rng.IntN(7)]
		}
		msgs := turnsOf(t, script).Messages()
		want := view.Grouping{}.Extend(msgs, view.Rules{})
		var g view.Grouping
		for g.Messages() < len(msgs) {
			before := slices.Clone(g.Groups)
			n := g.Messages() + 1 + rng.IntN(len(msgs)-g.Messages())
			grown := g.Extend(msgs[:n], view.Rules{})
			if !slices.Equal(before, g.Groups) {
				t.Fatalf("%s: extending a grouping changed it", script)
			}
			g = grown
		}
		if !slices.Equal(g.Groups, want.Groups) || open(g) != open(want) {
			t.Fatalf("%s: turn by turn %v, open from %d; at once %v, open from %d", script,
				g.Groups, open(g), want.Groups, open(want))
		}
		for n := range msgs {
			got := want.First(n).Extend(msgs, view.Rules{})
			if !slices.Equal(got.Groups, want.Groups) || open(got) != open(want) {
				t.Fatalf("%s: taken up at %d: %v, open from %d; at once %v, open from %d", script,
					n, got.Groups, open(got), want.Groups, open(want))
			}
		}
	}
}

// The API refuses a mark on a result for a program that it runs.
func TestResultsForProgramsGetNoMark(t *testing.T) {
	for caller, marks := range map[string]int{
		`{"type":"direct"}`:                  3,
		`{"type":"code_execution_20260120"}`: 2,
	} {
		r := parse(t, `{"messages":[{"role":"user","content":"folded"},{"role":"assistant",`+
			`"content":[{"type":"tool_use","id":"1","caller":`+caller+`}]},{"role":"user",`+
			`"content":[{"type":"tool_result","tool_use_id":"1"}]},`+
			conversation("9!", markShort)+`]}`)
		body := checkMarked(t, r, []view.Piece{
			{Raw: Format.Spelling().UserMessage([]byte(`"R"`))}, {From: 1, To: len(r.Messages())}})
		if n := bytes.Count(body, []byte(`"cache_control"`)); n != marks {
			t.Errorf("%s: %d marks, want %d:\n%s", caller, n, marks, body)
		}
	}
}

// Of a call that the API ran, its arguments and what the model could read of the result are read.
func TestCallsThatTheAPIRunsAreRead(t *testing.T) {
	const call = `{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"a"}}`
	answer := func(kind, content string) string {
		return `{"type":"` + kind + `","tool_use_id":"s","content":` + content + `}`
	}
	for _, c := range []struct{ blocks, want string }{
		{`{"type":"text","text":"x"}`, ""},
		{call, `web_search {"query":"a"}, no result`},
		{call + `,` + answer("web_search_tool_result", `[{"type":"web_search_result",
			"url":"https://a.example","title":"A","encrypted_content":"RQ=="}]`),
			`web_search {"query":"a"}: "A\nhttps://a.example"`},
		{call + `,` + answer("web_search_tool_result",
			`{"type":"web_search_tool_result_error","error_code":"unavailable"}`),
			`web_search {"query":"a"}: "unavailable" failed`},
		{answer("web_fetch_tool_result", `{"type":"web_fetch_result","url":"https://a.example",
			"content":{"type":"document","title":"A","source":{"type":"text","data":"B"}}}`),
			`result of s: "A\nhttps://a.example\nB"`},
		{answer("web_fetch_tool_result", `{"type":"web_fetch_result","url":"https://a.example",
			"content":{"type":"document","source":{"type":"base64","data":"JVBERi0="}}}`),
			`result of s: "https://a.example"`},
		{`{"type":"server_tool_use","id":"s","name":"bash_code_execution","input":{}},` +
			answer("bash_code_execution_tool_result", `{"type":"bash_code_execution_result",
				"stdout":"1\n","stderr":"2","return_code":3,"content":[{"file_id":"f"}]}`),
			`run bash_code_execution {}: "1\n\n2" failed, exit 3`},
		{`{"type":"mcp_tool_use","id":"s","name":"find","server_name":"wiki","input":{}},` +
			`{"type":"mcp_tool_result","tool_use_id":"s","is_error":true,"content":"no"}`,
			`wiki.find {}: "no" failed`},
		{`{"type":"mcp_tool_use","id":"s","name":"find","server_name":"wiki","input":{}},` +
			`{"type":"mcp_tool_result","tool_use_id":"s","content":[{"type":"text","text":"a"},` +
			`{"type":"text","text":""},{"type":"text","text":"b"}]}`,
			`wiki.find {}: "a\nb"`},
		{`{"type":"server_tool_use","id":"s","name":"code_execution","input":{}}`,
			`run code_execution {}, no result`},
		{answer("web_fetch_tool_result", `{"type":"web_fetch_result","url":"https://a.example",
			"content":{"type":"document","title":"A","source":{"type":"text","data":"B"},
			"citations":{"enabled":true}}}`), `result of s: "A\nhttps://a.example\nB"`},
		// A server's tool may be called as one of the API's.
		{`{"type":"mcp_tool_use","id":"s","name":"code_execution","server_name":"x","input":{}}`,
			`x.code_execution {}, no result`},
	} {
		m := parse(t, `{"messages":[{"role":"assistant","content":[`+c.blocks+`]}]}`).Messages()[0]
		if got := viewtest.HostedCalls(&m); got != c.want {
			t.Errorf("%s:\n%s\nwant %s", c.blocks, got, c.want)
		}
	}
}

// What a reply cites is read of searches, not of the client's documents. A conversation in which it
// cites something else is another one.
func TestCitedPagesAreRead(t *testing.T) {
	const cited = `{"type":"text","text":"x","citations":[{"type":"char_location",
		"document_title":"d","cited_text":"c"},{"type":"web_search_result_location",
		"url":"https://a.example","title":"A \"1\"","encrypted_index":"RQ==","cited_text":"c"},
		{"type":"web_search_result_location","url":"https://b.example","title":null}]}`
	read := func(role, block string) view.Message {
		return parse(t, `{"messages":[{"role":"`+role+`","content":[`+block+`]}]}`).Messages()[0]
	}
	m := read("assistant", cited)
	if got, want := viewtest.Cited(&m), "\"A \\\"1\\\"\" https://a.example: c\n"+
		"\"\" https://b.example"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	again := read("assistant", strings.Replace(cited, "b.example", "a.example", 1))
	if got := viewtest.Cited(&again); !strings.Contains(got, "a.example: c") {
		t.Errorf("of a page that is cited twice: %s", got)
	}
	nowhere := read("assistant", strings.Replace(cited, `"url":"https://b.example",`, "", 1))
	if got, want := viewtest.Cited(&nowhere), "\"A \\\"1\\\"\" https://a.example: c"; got != want {
		t.Errorf("of a page without an address: got %s\nwant %s", got, want)
	}
	if of := read("user", cited); of.Cited() != nil {
		t.Error("a person cites pages")
	}
	other := read("assistant", strings.Replace(cited, "a.example", "c.example", 1))
	if bytes.Equal(m.AppendCanonical(nil), other.AppendCanonical(nil)) {
		t.Error("replies that cite different pages are the same")
	}
	other = read("assistant", strings.Replace(cited, `"cited_text":"c"},
		{"type":"web`, `"cited_text":"d"},
		{"type":"web`, 1))
	if bytes.Equal(m.AppendCanonical(nil), other.AppendCanonical(nil)) {
		t.Error("replies that cite different words are the same")
	}
	moved := read("assistant", strings.Replace(cited, "RQ==", "UQ==", 1))
	if !bytes.Equal(m.AppendCanonical(nil), moved.AppendCanonical(nil)) {
		t.Error("an encrypted index makes another message")
	}
}
