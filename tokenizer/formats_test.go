package tokenizer

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"killick/chat"
	"killick/gemini"
	"killick/internal/convert"
	"killick/internal/recorded"
	"killick/messages"
	"killick/responses"
	"killick/tokenizer/internal/corpus"
	"killick/view"
)

func parseAs(t *testing.T, f view.Format, body string) *view.Request {
	t.Helper()
	req, err := view.Parse(f, []byte(body))
	if err != nil {
		t.Fatalf("parsing %.200s: %v", body, err)
	}
	return req
}

// pngOf is a PNG file of that size, in base64.
func pngOf(t *testing.T, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestBlocks counts what the blocks of the Messages API and the items of the Responses API hold.
func TestBlocks(t *testing.T) {
	const model = "claude-sonnet-4-5"
	m := New(Options{}).For(model)
	sealed := strings.Repeat("QUFB", 2000) // 6,000 bytes, 650 of them the seal's
	pdf := strings.Repeat("JVBE", 30_000)  // three pages
	words := m.Text("two words")
	for _, test := range []struct {
		name      string
		format    view.Format
		part      string // a block of the assistant, or an item
		text      int
		estimated int
	}{
		{"thinking", messages.Format,
			`{"type":"thinking","thinking":"two words","signature":"` + sealed + `"}`, words, 0},
		{"thinking that is not shown", messages.Format,
			`{"type":"thinking","thinking":"","signature":"` + sealed + `"}`, 0, 1337},
		{"redacted thinking", messages.Format,
			`{"type":"redacted_thinking","data":"` + sealed + `"}`, 0, 1337},
		{"marked text", messages.Format,
			`{"type":"text","text":"two words","cache_control":{"type":"ephemeral","ttl":"1h"}}`,
			words, 0},
		{"an image", messages.Format, `{"type":"image","source":{"type":"base64",` +
			`"media_type":"image/png","data":"` + pngOf(t, 1000, 1000) + `"}}`, 0, 1296},
		{"a linked image", messages.Format,
			`{"type":"image","source":{"type":"url","url":"https://example.com/a"}}`, 0, 1530},
		{"a document of text", messages.Format, `{"type":"document","title":"two words",` +
			`"source":{"type":"text","media_type":"text/plain","data":"two words"}}`, 2 * words, 0},
		{"a document of blocks", messages.Format, `{"type":"document","source":{` +
			`"type":"content","content":[{"type":"text","text":"two words"}]}}`, words, 0},
		{"a PDF file", messages.Format, `{"type":"document","source":{"type":"base64",` +
			`"media_type":"application/pdf","data":"` + pdf + `"}}`, 0, 3 * (800 + 1551)},
		{"a search result", messages.Format, `{"type":"search_result","cache_control":{"type":` +
			`"ephemeral"},"source":"x","title":"y","content":[]}`,
			m.Text(`{"type":"search_result","source":"x","title":"y","content":[],}`), 0},
		{"results of a search", messages.Format, `{"type":"web_search_tool_result","content":[` +
			`{"url":"x","encrypted_content":"` + sealed + `"}]}`,
			m.Text(`{"type":"web_search_tool_result","content":[{"url":"x",},],}`), 1337},
		{"a fetched document", messages.Format, `{"type":"web_fetch_tool_result","content":{` +
			`"content":{"type":"document","source":{"type":"text","data":"two words"}}}}`,
			m.Text(`{"type":"web_fetch_tool_result","content":{"content":,},}`) + words, 0},
		{"encrypted reasoning", responses.Format, `{"type":"reasoning","summary":[{"type":` +
			`"summary_text","text":"two words"}],"encrypted_content":"` + sealed + `"}`, 0, 1337},
		{"open reasoning", responses.Format, `{"type":"reasoning","summary":[],"content":[` +
			`{"type":"reasoning_text","text":"two words"}]}`, words, 0},
		{"a summary of reasoning", responses.Format, `{"type":"reasoning","summary":[` +
			`{"type":"summary_text","text":"two words"}]}`, words, 0},
		{"an image that was made", responses.Format, `{"type":"image_generation_call",` +
			`"result":"` + pngOf(t, 1000, 1000) + `"}`, 0, 1296},
	} {
		body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"assistant","content":[%s]}]}`, model,
			test.part)
		if test.format == responses.Format {
			body = fmt.Sprintf(`{"model":%q,"input":[%s]}`, model, test.part)
		}
		msgs := parseAs(t, test.format, body).Messages()
		frame := m.format.message + 1
		if got := m.Message(&msgs[0]) - frame; got != test.text+test.estimated {
			t.Errorf("%s: %d tokens, want %d", test.name, got, test.text+test.estimated)
		}
		if got := m.Estimated(&msgs[0]); got != test.estimated {
			t.Errorf("%s: %d tokens are an estimate, want %d", test.name, got, test.estimated)
		}
	}
}

// TestTurnsOfSeveralItems: a turn of items and blocks between results count what they hold, each
// part and each call once.
func TestTurnsOfSeveralItems(t *testing.T) {
	m := New(Options{}).For("gpt-4o")
	turn := parseAs(t, responses.Format, `{"input":[
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"two words"}]},
		{"type":"function_call","call_id":"a","name":"read","arguments":"{\"path\":\"x\"}"},
		{"type":"function_call","call_id":"b","name":"list","arguments":"{}"},
		{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"it"}]},
		{"type":"function_call_output","call_id":"b","output":"more"}]}`).Messages()
	run := parseAs(t, messages.Format, `{"messages":[
		{"role":"assistant","content":[{"type":"text","text":"two words"},
			{"type":"tool_use","id":"a","name":"read","input":{"path":"x"}},
			{"type":"tool_use","id":"b","name":"list","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[
				{"type":"text","text":"it"}]},
			{"type":"tool_result","tool_use_id":"b","content":"more"},
			{"type":"text","text":"and"},{"type":"text","text":"this"}]}]}`).Messages()
	spelled := parse(t, `{"messages":[
		{"role":"assistant","content":"two words","tool_calls":[
			{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}},
			{"id":"b","type":"function","function":{"name":"list","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"it"}]},
		{"role":"tool","tool_call_id":"b","content":"more"},
		{"role":"user","content":[{"type":"text","text":"and"},{"type":"text","text":"this"}]}]}`,
	).Messages()
	if len(turn) != 3 || len(run) != 4 {
		t.Fatalf("%d and %d messages, want 3 and 4", len(turn), len(run))
	}
	if !turn[0].Is(view.Several) || !run[3].Is(view.Several) {
		t.Error("no message has several items")
	}
	for i := range spelled {
		want := m.Message(&spelled[i])
		if got := m.Message(&run[i]); got != want {
			t.Errorf("message %d of Messages: %d tokens, of chat %d", i, got, want)
		}
		if i < len(turn) && m.Message(&turn[i]) != want {
			t.Errorf("message %d of Responses: %d tokens, of chat %d", i, m.Message(&turn[i]), want)
		}
	}
}

// TestSameBytesInOtherFormats: what is remembered of bytes in one format is not taken for another.
func TestSameBytesInOtherFormats(t *testing.T) {
	const item = `{"role":"assistant","content":[{"type":"thinking","thinking":"two words",` +
		`"signature":"abc"},{"type":"tool_use","id":"a","name":"read","input":{"path":"x"}}]}`
	c := New(Options{})
	for _, order := range [][]view.Format{
		{chat.Format, messages.Format}, {messages.Format, chat.Format},
	} {
		for _, f := range order {
			msg := parseAs(t, f, `{"messages":[`+item+`]}`).Messages()[0]
			want := New(Options{}).For("gpt-4o").Message(&msg)
			if got := c.For("gpt-4o").Message(&msg); got != want {
				t.Errorf("%s: %d tokens, want %d", f.Name(), got, want)
			}
		}
	}
}

// TestToolsOfAllFormats counts definitions in the shapes of all formats.
func TestToolsOfAllFormats(t *testing.T) {
	m := New(Options{}).For("gpt-4o")
	const schema = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`
	const server = `{"type":"web_search_20250305","name":"web_search","max_uses":3}`
	of := func(f view.Format, tools string) int {
		list := f.List()
		return m.tools(extrasOf(parseAs(t, f, `{"`+list+`":[],"tools":`+tools+`}`)))
	}
	want := of(chat.Format, `[{"type":"function","function":{"name":"read","description":"Reads.",`+
		`"parameters":`+schema+`}}]`)
	if got := of(responses.Format, `[{"type":"function","name":"read","description":"Reads.",`+
		`"parameters":`+schema+`}]`); got != want {
		t.Errorf("Responses: %d tokens, chat %d", got, want)
	}
	const claude = `{"name":"read","description":"Reads.","input_schema":` + schema
	marked := `[` + claude + `,"cache_control":{"type":"ephemeral"}}]`
	if got := of(messages.Format, marked); got != want {
		t.Errorf("Messages: %d tokens, chat %d", got, want)
	}
	both := of(messages.Format, `[`+claude+`},`+server+`]`)
	if rest := both - want - m.Text(server); rest < 0 || rest > 3 {
		t.Errorf("a tool of the server: %d tokens more, want %d", both-want, m.Text(server))
	}
	if got := of(messages.Format, `[`+claude+`},`+claude+`,"defer_loading":true}]`); got != want {
		t.Errorf("a tool that is not loaded yet: %d tokens, want %d", got, want)
	}
	grammar := of(responses.Format, `[{"type":"custom","name":"patch","format":{"type":"grammar",`+
		`"syntax":"lark","definition":"start: begin hunk end"}}]`)
	plain := of(responses.Format, `[{"type":"custom","name":"patch"}]`)
	if more := grammar - plain; more < 4 || more > 8 {
		t.Errorf("a grammar: %d tokens more", more)
	}
	system := parseAs(t, messages.Format, `{"system":[{"type":"text","text":"two words",`+
		`"cache_control":{"type":"ephemeral"}},{"type":"text","text":"more"}],`+
		`"tool_choice":{"type":"auto"},"messages":[]}`)
	none := m.Overhead(parseAs(t, messages.Format, `{"messages":[]}`))
	if got := m.Overhead(system) - none; got != 2+4+1+4 {
		t.Errorf("instructions: %d tokens, want 11", got)
	}
}

// TestRecordedInAllFormats: a conversation counts nearly the same in each format.
func TestRecordedInAllFormats(t *testing.T) {
	corpus.Sequential(t)
	m := New(Options{}).For("gpt-4o")
	compared := 0
	for _, c := range recorded.Conversations(t) {
		body := c.Body(`"model":"gpt-4o"`, len(c.Messages))
		req, err := chat.Parse(body)
		if err != nil {
			continue
		}
		want := m.Request(req).Total
		converted := map[string]*view.Request{
			"responses": parseAs(t, responses.Format, string(convert.Responses(body))),
		}
		if b, err := convert.Messages(body); err == nil {
			converted["messages"] = parseAs(t, messages.Format, string(b))
		}
		for name, req := range converted {
			compared++
			got := m.Request(req).Total
			if diff := float64(got-want) / float64(want); diff > 0.02 || diff < -0.02 {
				t.Errorf("%s as %s: %d tokens, as chat %d", c.ID, name, got, want)
			}
		}
	}
	t.Logf("%d conversations", compared)
}

// Media beside the response of a result count as they do elsewhere.
func TestGoogleResultsWithMedia(t *testing.T) {
	corpus.Sequential(t)
	count := func(result, beside string) int {
		return New(Options{}).For("gemini-3-pro").Request(parseAs(t, gemini.Format,
			`{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[`+
				`{"functionCall":{"name":"f"}}]},{"parts":[{"functionResponse":{"name":"f",`+
				`"response":{"output":"seen"}`+result+`}}`+beside+`]}]}`)).Total
	}
	without := count("", "")
	for _, media := range []string{
		`{"inlineData":{"mimeType":"image/png","data":"AAAA"}}`,
		`{"inlineData":{"mimeType":"audio/mp3","data":"` + strings.Repeat("A", 1<<17) + `"}}`,
		`{"file_data":{"mime_type":"application/pdf","file_uri":"u"}}`,
	} {
		inside := count(`,"parts":[`+media+`]`, "") - without
		outside := count("", `,{"text":""},`+media) - count("", `,{"text":""}`)
		if inside != outside || inside < 100 {
			t.Errorf("%.60s: %d tokens in a result, %d beside it", media, inside, outside)
		}
	}
}

// What stands beside the content of a message of Ollama's counts too: images by their size, and
// what the model thought as text.
func TestMessagesOfOllama(t *testing.T) {
	m := New(Options{}).For("claude-sonnet-4-5")
	plain := parseAs(t, chat.Ollama, `{"messages":[{"role":"assistant","content":"a"}]}`)
	for name, c := range map[string]struct {
		beside    string
		text      int
		estimated int
	}{
		"a thought": {`"thinking":"two words"`, m.Text("two words"), 0},
		"images": {`"images":["` + pngOf(t, 1000, 1000) + `","` + pngOf(t, 28, 28) + `"]`, 0,
			1296 + 1},
		"a call": {`"tool_calls":[{"function":{"name":"two","arguments":{"a":1}}}]`,
			m.format.call + m.Text("two") + m.Text(`{"a":1}`), 0},
	} {
		body := `{"messages":[{"role":"assistant","content":"a",` + c.beside + `}]}`
		msg := &parseAs(t, chat.Ollama, body).Messages()[0]
		got := m.Message(msg) - m.Message(&plain.Messages()[0])
		if got != c.text+c.estimated || m.Estimated(msg) != c.estimated {
			t.Errorf("%s: %d tokens, %d of them an estimate, want %d and %d", name, got,
				m.Estimated(msg), c.text+c.estimated, c.estimated)
		}
	}
}
