package endpoint

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/messages"
	"killick/rawjson"
	"killick/view"
)

// summarizedBlock is a summary block written by the API.
const summarizedBlock = `{"type":"compaction", "content":"The gist.","signature":"c2ln"}`

// forSummary is a request for a summary of a conversation, with the answer.
func forSummary(
	t *testing.T, body, answer string, status int,
) (*Client, Request, func() *http.Request) {
	t.Helper()
	var got *http.Request
	c := New(Options{Transport: wire(func(r *http.Request) (*http.Response, error) {
		got = r
		return response(status, answer), nil
	})})
	target, err := NewTarget("http://api/v1/messages", "claude-opus-5-5",
		http.Header{"Anthropic-Beta": {"beta-1"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	target.Format = "messages"
	prefix, err := view.Parse(messages.Format, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return c, Request{Target: target, Prefix: prefix, MaxOutput: 5000, Kept: 2},
		func() *http.Request { return got }
}

const conversationToSummarize = `{"model":"claude-opus-5-5","stream":true,"max_tokens":9,` +
	`"system":"Be careful.","stop_sequences":["x"],"context_management":{"edits":[]},` +
	`"output_config":{"effort":"high","format":{"type":"json_schema"}},` +
	`"tool_choice":{"type":"any"},"tools":[{"name":"read"}],"messages":[` +
	`{"role":"user","content":"Go."},` +
	`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read","input":{}}]},` +
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},` +
	`{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"read","input":{}}]},` +
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2",` +
	`"cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`

func TestSummaryRequests(t *testing.T) {
	c, r, got := forSummary(t, conversationToSummarize, `{"type":"message","content":[`+
		summarizedBlock+`],"stop_reason":"compaction","usage":{"input_tokens":0,"output_tokens":0,`+
		`"iterations":[{"type":"compaction","input_tokens":10,"cache_read_input_tokens":30,`+
		`"cache_creation_input_tokens":2,"output_tokens":5},`+
		`{"type":"message","output_tokens":9223372036854775807}]}}`, 200) // more than there can be
	var spent Usage
	r.Report = func(e Exchange) { spent.Add(e.Usage) }
	reply, err := c.Summarize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"role":"assistant","content":[` + summarizedBlock + `]}`; reply.Message != want {
		t.Errorf("%s, want %s", reply.Message, want)
	}
	if spent != (Usage{Calls: 1, PromptTokens: 42, CachedTokens: 30, CompletionTokens: 5}) {
		t.Errorf("it came to %+v", spent)
	}
	if beta := got().Header.Get("Anthropic-Beta"); beta != "beta-1,compact-2026-09-04" {
		t.Errorf("beta %q", beta)
	}
	body, err := io.ReadAll(got().Body)
	if err != nil {
		t.Fatal(err)
	}
	v := rawjson.Value(body)
	for name, want := range map[string]string{
		"stream": "", "stop_sequences": "", "context_management": "", "max_tokens": "5000",
		"compaction": `{"type":"summarize"}`, "system": `"Be careful."`,
		"tools": `[{"name":"read"}]`, "tool_choice": `{"type":"auto"}`,
		"output_config": `{"effort":"high"}`,
	} {
		if got := string(v.Get(name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	// The last summarised message has the cache mark of those that are left out.
	const last = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",` +
		`"content":"1","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]`
	if !strings.HasSuffix(string(v.Get("messages")), last) ||
		strings.Contains(string(body), `"id":"b"`) {
		t.Errorf("messages: %s", v.Get("messages"))
	}
}

// An answer without a summary is an error. An endpoint without support for summaries is not asked
// again.
func TestNoSummary(t *testing.T) {
	const nothing = `{"content":[],"stop_reason":"`
	for name, c := range map[string]struct {
		status  int
		answer  string
		want    error
		learned bool
	}{
		"refused": {200, nothing + `refusal"}`, ErrRefused, false},
		"cut":     {200, nothing + `max_tokens"}`, ErrUnavailable, false},
		"no text": {200, nothing + `end_turn"}`, ErrUnavailable, false},
		"a reply": {200, `{"content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn"}`,
			ErrUnavailable, false},
		"not JSON":  {200, `<html>`, ErrUnavailable, false},
		"no block":  {200, `{}`, ErrUnavailable, false},
		"transient": {529, `{"error":{"message":"Overloaded"}}`, ErrUnavailable, false},
		"an unknown member": {400, `{"error":{"message":"compaction: Extra inputs are not ` +
			`permitted"}}`, ErrRejected, true},
		"a dropped header": {400, "{\"error\":{\"message\":\"`compaction` requires " +
			"anthropic-beta: compact-2026-09-04\"}}", ErrRejected, true},
		"another fault": {400, `{"error":{"message":"messages: too odd"}}`, ErrRejected, false},
	} {
		client, r, got := forSummary(t, conversationToSummarize, c.answer, c.status)
		if _, err := client.Summarize(t.Context(), r); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		first := got()
		_, err := client.Summarize(t.Context(), r)
		if asked := got() != first; asked == c.learned || err == nil {
			t.Errorf("%s: asked again: %t; %v", name, asked, err)
		}
	}
	client, r, got := forSummary(t, conversationToSummarize, "", 200)
	r.Target.Format, r.Prefix = "chat", nil
	if _, err := client.Summarize(t.Context(), r); !errors.Is(err, ErrRejected) || got() != nil {
		t.Errorf("an API without summaries was asked: %v", err)
	}
}
