package expand

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"killick/proxy/coding/codingtest"
	"killick/proxy/format"
	"killick/rawjson"
)

const ref = "abcdefgh234567yz"

// reply is one reply of an upstream's.
type reply struct {
	media, body, coding string
	status              int
}

func (r reply) response(t *testing.T) *http.Response {
	t.Helper()
	if r.media == "" {
		r.media = "text/event-stream"
	}
	if r.status == 0 {
		r.status = http.StatusOK
	}
	res := &http.Response{StatusCode: r.status, ContentLength: -1,
		Header: http.Header{"Content-Type": {r.media}}}
	body := r.body
	if r.coding != "" {
		body = codingtest.Encode(r.coding, body)
		res.Header.Set("Content-Encoding", r.coding)
	}
	res.Body = io.NopCloser(iotest.OneByteReader(strings.NewReader(body)))
	return res
}

// run is what came of a session.
type run struct {
	client   string   // what the client got
	sent     []string // requests after the first
	outcomes []Outcome
	err      error // that the client's body ended with
}

// play gives a session these replies, one after the other. Half a minute passes whenever it looks.
func play(t *testing.T, f format.Format, body string, dropThinking bool, replies ...reply) (r run) {
	t.Helper()
	now := time.Time{}.Add(time.Hour)
	s := &Session{Now: func() time.Time { now = now.Add(30 * time.Second); return now },
		Format: f, Body: []byte(body), DropThinking: dropThinking,
		Lookup: func(context.Context, string) ([]byte, error) { return []byte("kept"), nil },
		Report: func(o Outcome) { r.outcomes = append(r.outcomes, o) }}
	s.Send = func(next []byte) (*http.Response, error) {
		if !json.Valid(next) {
			t.Errorf("sent %s", next)
		}
		r.sent = append(r.sent, string(next))
		if replies = replies[1:]; len(replies) == 0 {
			return nil, errors.New("no more replies")
		}
		return replies[0].response(t), nil
	}
	res, err := s.Reply(t.Context(), replies[0].response(t))
	if err != nil {
		r.err = err
		return r
	}
	got, err := io.ReadAll(res.Body)
	r.client, r.err = string(got), err
	_ = res.Body.Close()
	return r
}

// events are a stream of these events, each named by its type.
func events(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		if kind := rawjson.Value(e).Get("type").Text(); kind != "" {
			b.WriteString("event: " + kind + "\n")
		}
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

const chatBody = `{"messages":[{"role":"user","content":"hi"}],"tools":[]}`

func chunk(delta, finish string) string {
	return `{"id":"c1","created":7,"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` +
		finish + `}]}`
}

// What a model says beside its call goes back as received: reasoning, its details, members of the
// call that nobody here knows, escapes.
func TestChatTurnsAreWrittenAgain(t *testing.T) {
	first := events(
		chunk(`{"role":"assistant","content":""}`, "null"),
		chunk(`{"reasoning_content":"hm \u00e9","reasoning_details":[{"type":"x","n":1}]}`, "null"),
		chunk(`{"reasoning_details":[{"type":"y"}],"content":"a\"b\\ \ud83d"}`, "null"),
		chunk(`{"content":"\ude00"}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"id":"c9","type":"function","function":{"name":"`+Name+
			`","arguments":""},"extra_content":{"google":{"thought_signature":"s="}}}]}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"ref\":"}}]}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"\"`+ref+`\"}"}}]}`, "null"),
		chunk(`{}`, `"tool_calls"`),
		`{"id":"c1","choices":[],"usage":{"prompt_tokens":1}}`) + "data: [DONE]\n\n"
	second := events(
		`{"id":"c2","created":8,"choices":[{"index":0,"delta":{"role":"assistant"}}]}`,
		`{"id":"c2","created":8,"choices":[{"index":0,"delta":{"content":"!"},`+
			`"finish_reason":"stop"}]}`,
		`{"id":"c2","created":8,"choices":[],"usage":{"prompt_tokens":2}}`) + "data: [DONE]\n\n"
	got := play(t, format.Chat, chatBody, false, reply{body: first}, reply{body: second})
	want := strings.Join(strings.SplitAfter(first, "\n\n")[:4], "") + events(
		`{"id":"c1","created":7,"choices":[{"index":0,"delta":{}}]}`,
		`{"id":"c1","created":7,"choices":[{"index":0,"delta":{"content":"!"},`+
			`"finish_reason":"stop"}]}`,
		`{"id":"c1","created":7,"choices":[],"usage":{"prompt_tokens":2}}`) + "data: [DONE]\n\n"
	if got.client != want || got.err != nil {
		t.Errorf("the client got %v\n%s\nwant\n%s", got.err, got.client, want)
	}
	wantSent := `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":` +
		`"a\"b\\ \ud83d\ude00","reasoning_content":"hm \u00e9","reasoning_details":[` +
		`{"type":"x","n":1},{"type":"y"}],"tool_calls":[{"id":"c9","type":"function",` +
		`"function":{"name":"` + Name + `","arguments":"{\"ref\":\"` + ref + `\"}"},` +
		`"extra_content":{"google":{"thought_signature":"s="}}}]},` +
		`{"role":"tool","tool_call_id":"c9","content":"kept"}],"tools":[]}`
	if len(got.sent) != 1 || got.sent[0] != wantSent {
		t.Errorf("sent %q\nwant %s", got.sent, wantSent)
	}
}

// Calls of the client's beside one of the tool are numbered without a gap.
func TestChatCallsAreNumberedAnew(t *testing.T) {
	first := events(
		chunk(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c0","type":`+
			`"function","function":{"name":"`+Name+`","arguments":"{}"}},{"index":1,"id":"c1",`+
			`"type":"function","function":{"name":"read","arguments":""}}]}`, "null"),
		chunk(`{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}`, "null"),
		chunk(`{}`, `"tool_calls"`)) + ": a comment\n\ndata: [DONE]\n\n"
	got := play(t, format.Chat, chatBody, false, reply{body: first})
	want := events(
		chunk(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c1",`+
			`"type":"function","function":{"name":"read","arguments":""}}]}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`, "null")) +
		": a comment\n\n" + events(chunk(`{}`, `"tool_calls"`)) + "data: [DONE]\n\n"
	if got.client != want || len(got.sent) != 0 || len(got.outcomes) != 1 ||
		got.outcomes[0] != LeftOut {
		t.Errorf("%v of %d requests, the client got\n%s\nwant\n%s", got.outcomes, len(got.sent),
			got.client, want)
	}
}

const messagesBody = `{"messages":[{"role":"user","content":"hi"}] ,"tools":[]}`

func blockEvents(index, start string, deltas ...string) string {
	b := events(`{"type":"content_block_start","index":` + index + `,"content_block":` + start +
		`}`)
	for _, d := range deltas {
		b += events(`{"type":"content_block_delta","index":` + index + `,"delta":` + d + `}`)
	}
	return b + events(`{"type":"content_block_stop","index":`+index+`}`)
}

func messageEnd(stop string) string {
	return events(`{"type":"message_delta","delta":{"stop_reason":"`+stop+`"},`+
		`"usage":{"output_tokens":9}}`, `{"type":"message_stop"}`)
}

const messageStart = `{"type":"message_start","message":{"id":"m","role":"assistant"}}`

// Every kind of block goes back as received, and a model that checks what thinking was made after
// has the client get none that was made after a call.
func TestMessageTurnsAreWrittenAgain(t *testing.T) {
	call := blockEvents("5", `{"type":"tool_use","id":"t1","name":"`+Name+`","input":{},`+
		`"caller":{"type":"direct"}}`, `{"type":"input_json_delta","partial_json":""}`,
		`{"type":"input_json_delta","partial_json":"{\"ref\": \"`+ref+`\"}"}`)
	thinking := blockEvents("0", `{"type":"thinking","thinking":"","signature":""}`,
		`{"type":"thinking_delta","thinking":"a\u00e9"}`, `{"type":"thinking_delta",`+
			`"thinking":"\n"}`, `{"type":"signature_delta","signature":"sig="}`) +
		blockEvents("1", `{"type":"redacted_thinking","data":"xx"}`)
	cited := blockEvents("2", `{"type":"text","text":""}`, `{"type":"citations_delta","citation":`+
		`{"n":1}}`, `{"type":"text_delta","text":"b"}`, `{"type":"citations_delta","citation":`+
		`{"n":2}}`)
	server := blockEvents("3", `{"type":"server_tool_use","id":"s1","name":"web_search",`+
		`"input":{}}`, `{"type":"input_json_delta","partial_json":"{\"query\":1.50}"}`) +
		blockEvents("4", `{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}`)
	empty := blockEvents("6", `{"type":"text","text":""}`)
	first := events(messageStart) + thinking + cited + events(`{"type":"ping"}`) + server + call +
		empty + messageEnd("tool_use")
	second := events(`{"type":"message_start","message":{"id":"m2"}}`) +
		blockEvents("0", `{"type":"thinking","thinking":"","signature":""}`) +
		blockEvents("1", `{"type":"text","text":""}`, `{"type":"text_delta","text":"c"}`) +
		messageEnd("end_turn")
	for _, drop := range []bool{false, true} {
		got := play(t, format.Messages, messagesBody, drop, reply{body: first},
			reply{body: second})
		want := events(messageStart) + thinking + cited + events(`{"type":"ping"}`) + server +
			blockEvents("5", `{"type":"text","text":""}`) + blockEvents("6",
			`{"type":"text","text":""}`, `{"type":"text_delta","text":"c"}`) +
			messageEnd("end_turn")
		if got.client != want || got.err != nil {
			t.Errorf("drop %t: the client got %v\n%s\nwant\n%s", drop, got.err, got.client, want)
		}
		wantSent := `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[` +
			`{"type":"thinking","thinking":"a\u00e9\n","signature":"sig="},` +
			`{"type":"redacted_thinking","data":"xx"},` +
			`{"type":"text","text":"b","citations":[{"n":1},{"n":2}]},` +
			`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":1.50}},` +
			`{"type":"web_search_tool_result","tool_use_id":"s1","content":[]},` +
			`{"type":"tool_use","id":"t1","name":"` + Name + `","input":{"ref": "` + ref + `"},` +
			`"caller":{"type":"direct"}}]},{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"t1","content":"kept"}]}] ,"tools":[]}`
		if len(got.sent) != 1 || got.sent[0] != wantSent {
			t.Errorf("sent %q\nwant %s", got.sent, wantSent)
		}
	}
}

// Thinking after a call is the client's where a model does not check what was before it and the
// turn has none yet.
func TestThinkingAfterACall(t *testing.T) {
	call := blockEvents("0", `{"type":"tool_use","id":"t1","name":"`+Name+`","input":{}}`)
	thinking := blockEvents("0", `{"type":"thinking","thinking":"","signature":""}`,
		`{"type":"signature_delta","signature":"s"}`)
	again := strings.ReplaceAll(call, `"index":0`, `"index":1`)
	start, end := events(messageStart), messageEnd("end_turn")
	replies := []reply{{body: start + call + messageEnd("tool_use")},
		{body: start + thinking + again + messageEnd("tool_use")}, {body: start + thinking + end}}
	for drop, want := range map[bool]string{false: start + thinking + end, true: start + end} {
		got := play(t, format.Messages, messagesBody, drop, replies...)
		if got.client != want || len(got.sent) != 2 {
			t.Errorf("drop %t: %d requests, the client got %s", drop, len(got.sent), got.client)
		}
	}
}

// A turn that cannot be written again exactly is not answered, and the client gets it without the
// call.
func TestATurnThatNobodyKnows(t *testing.T) {
	text := blockEvents("0", `{"type":"text","text":""}`, `{"type":"poem_delta","poem":"b"}`)
	first := events(messageStart) + text + blockEvents("1", `{"type":"tool_use","id":"t1","name":"`+
		Name+`","input":{"ref":"`+ref+`"}}`) + messageEnd("tool_use")
	got := play(t, format.Messages, messagesBody, false, reply{body: first})
	want := events(messageStart) + text + messageEnd("end_turn")
	if got.client != want || len(got.sent) > 0 || len(got.outcomes) != 1 ||
		got.outcomes[0] != Unfinished {
		t.Errorf("%v of %d requests, the client got\n%s\nwant\n%s", got.outcomes, len(got.sent),
			got.client, want)
	}
}

func itemEvents(index, item string) string {
	return events(`{"type":"response.output_item.added","output_index":`+index+`,"item":`+item+
		`,"sequence_number":1}`, `{"type":"response.output_item.done","output_index":`+index+
		`,"item":`+item+`,"sequence_number":2}`)
}

// Reasoning waits for the item after it. After it is a call of the tool: the client gets neither,
// and the upstream both. Reasoning that only a server's store could read is sent to nobody.
func TestReasoningGoesWithItsItem(t *testing.T) {
	const (
		sealed   = `{"type":"reasoning","id":"rs_1","encrypted_content":"x","summary":[]}`
		unsealed = `{"type":"reasoning","id":"rs_2","summary":[]}`
		message  = `{"type":"message","id":"msg_1","role":"assistant","content":[]}`
		called   = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"` + Name +
			`","arguments":"{\"ref\":\"` + ref + `\"}"}`
	)
	whole := func(id string, items ...string) string {
		return `{"id":"` + id + `","status":"completed","output":[` + strings.Join(items, ",") +
			`],"usage":{}}`
	}
	end := func(response string) string {
		return events(`{"type":"response.completed","response":` + response + `}`)
	}
	created := events(`{"type":"response.created","response":{"id":"r1"},"sequence_number":0}`)
	first := created + itemEvents("0", sealed) + itemEvents("1", message) +
		itemEvents("2", unsealed) + itemEvents("3", called) +
		end(whole("r1", sealed, message, unsealed, called))
	second := events(`{"type":"response.created","response":{"id":"r2"},"sequence_number":0}`) +
		itemEvents("0", sealed) + itemEvents("1", message) + end(whole("r2", sealed, message))
	const body = `{"input":[{"role":"user","content":"hi"}],"tools":[]}`
	got := play(t, format.Responses, body, false, reply{body: first}, reply{body: second})
	var kinds []string
	for i, e := range strings.Split(strings.TrimSpace(got.client), "\n\n") {
		_, data, _ := strings.Cut(e, "data: ")
		v := rawjson.Value(data)
		at, _ := v.Get("output_index").Int()
		if n, ok := v.Get("sequence_number").Int(); ok && n != i {
			t.Errorf("event %d has the number %d", i, n)
		}
		kinds = append(kinds, v.Get("item").Get("type").Text()+strings.Repeat("'", at))
	}
	want := " reasoning reasoning message' message' reasoning'' reasoning'' message''' message''' "
	if strings.Join(kinds, " ") != want || !strings.HasSuffix(got.client,
		end(whole("r1", sealed, message, sealed, message))) {
		t.Errorf("the client got %q\n%s", kinds, got.client)
	}
	results := `{"type":"function_call_output","call_id":"c1","output":"kept"}`
	wantSent := `{"input":[{"role":"user","content":"hi"},` + strings.Join([]string{sealed, message,
		called, results}, ",") + `],"tools":[]}`
	if len(got.sent) != 1 || got.sent[0] != wantSent {
		t.Errorf("sent %q, want %s", got.sent, wantSent)
	}
	// The same as whole replies.
	json := "application/json"
	got = play(t, format.Responses, body, false,
		reply{media: json, body: whole("r1", sealed, message, unsealed, called)},
		reply{media: json, body: whole("r2", sealed, message)})
	if got.client != whole("r2", sealed, message) || len(got.sent) != 1 || got.sent[0] != wantSent {
		t.Errorf("the client got %s, sent %q", got.client, got.sent)
	}
	mixed := strings.Replace(called, Name, "read", 1)
	got = play(t, format.Responses, body, false,
		reply{media: json, body: whole("r1", sealed, called, sealed, mixed)})
	if want := whole("r1", sealed, mixed); got.client != want {
		t.Errorf("the client got %s, want %s", got.client, want)
	}
}

// A reply without calls passes byte for byte, whatever it looks like and however it is encoded.
func TestOtherRepliesPass(t *testing.T) {
	odd := "\uFEFFdata: {\"choices\":[ ]}\r\n\r\n:c\n\nid: 7\rdata: a\rdata: b\r\revent: x\n\n" +
		"data: {\"type\":\"error\"}\n\ndata: not whole"
	for _, f := range []format.Format{format.Chat, format.Messages, format.Responses} {
		for _, r := range []reply{
			{body: odd}, {body: odd, coding: "gzip"}, {body: ""},
			{body: `{"choices":1}`, media: "application/json"},
			{body: ` {"content":[{"type":"text"}]} `, media: "application/json", coding: "br"},
			{body: `no JSON`, media: "application/json"}, {body: "text", media: "text/plain"},
			{body: `{"error":1}`, media: "application/json", status: 400},
		} {
			if got := play(t, f, chatBody, true, r); got.client != r.body || got.err != nil ||
				len(got.outcomes) > 0 {
				t.Errorf("%s: %q became %q, %v", f, r.body, got.client, got.err)
			}
		}
	}
	res := reply{body: "???", media: "application/json"}.response(t)
	res.Header.Set("Content-Encoding", "unknown")
	s := &Session{Format: format.Chat}
	if got, err := s.Reply(t.Context(), res); err != nil || got != res ||
		got.Header.Get("Content-Encoding") != "unknown" {
		t.Errorf("an unknown coding: %v, %v", got.Header, err)
	}
}

// A tool that the API runs beside a call of ours has its result in the next round. The client gets
// both, whether the reply is streamed or not.
func TestToolsThatTheAPIRunsBesideACall(t *testing.T) {
	const (
		json   = "application/json"
		run    = `{"type":"server_tool_use","id":"s1","name":"web_fetch","input":{}}`
		ours   = `{"type":"tool_use","id":"t1","name":"` + Name + `","input":{"ref":"` + ref + `"}}`
		result = `{"type":"web_fetch_tool_result","tool_use_id":"s1","content":{}}`
		text   = `{"type":"text","text":"c"}`
	)
	whole := func(stop string, blocks ...string) reply {
		return reply{media: json, body: `{"content":[` + strings.Join(blocks, ",") +
			`],"stop_reason":"` + stop + `"}`}
	}
	for _, test := range []struct{ first, last, want reply }{
		{whole("tool_use", run, ours), whole("end_turn", result, text),
			whole("end_turn", run, result, text)},
		{whole("tool_use", run, result, ours), whole("end_turn", text), whole("end_turn", text)},
	} {
		got := play(t, format.Messages, messagesBody, false, test.first, test.last)
		if got.client != test.want.body || len(got.sent) != 1 {
			t.Errorf("%s\nwant %s", got.client, test.want.body)
		}
	}
	start := events(messageStart)
	got := play(t, format.Messages, messagesBody, false,
		reply{body: start + blockEvents("0", run) + blockEvents("1", ours) +
			messageEnd("tool_use")},
		reply{body: start + blockEvents("0", result) + messageEnd("end_turn")})
	want := start + blockEvents("0", run) + blockEvents("1", result) + messageEnd("end_turn")
	if got.client != want {
		t.Errorf("%s\nwant %s", got.client, want)
	}
}
