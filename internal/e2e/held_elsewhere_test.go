package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Of a conversation that the provider holds, or compacts itself, a request is forwarded as
// received, however long its newest part is; without the member that says so it is compacted.
func TestConversationsAtTheProviderAreLeft(t *testing.T) {
	const turns = 8
	output := strings.Repeat("src/cart.go:12: the cart is empty\\n", 400)
	list := func(turn string) string {
		return strings.TrimSuffix(strings.Repeat(turn+",", turns), ",")
	}
	messages := `[{"role":"user","content":"Find the bug."},` + list(
		`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"grep","input":{}}]},`+
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"`+output+
			`"}]}`) + `]`
	items := `[{"role":"user","content":"Find the bug."},` + list(
		`{"type":"function_call","call_id":"t","name":"grep","arguments":"{}"},`+
			`{"type":"function_call_output","call_id":"t","output":"`+output+`"}`) + `]`
	contents := `[{"role":"user","parts":[{"text":"Find the bug."}]},` + list(
		`{"role":"model","parts":[{"functionCall":{"name":"grep","args":{}}}]},`+
			`{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"output":"`+
			output+`"}}}]}`) + `]`
	// Only the newest part is in the request: its result answers a call that the provider has.
	newest := `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"` +
		strings.Repeat(output, turns) + `"}]}]`
	thread := `"thread":{"type":"continue","previous_message_id":"msg_1"},`
	for name, c := range map[string]struct{ path, form, member, conversation string }{
		"Messages, a thread begins": {"/v1/messages",
			`{"model":"claude-sonnet-5",%s"max_tokens":9,"messages":%s}`,
			`"thread":{"type":"create"},`, messages},
		"Messages, a thread goes on": {"/v1/messages",
			`{"model":"claude-sonnet-5",%s"max_tokens":9,"messages":%s}`, thread, messages},
		"Messages, edited there": {"/v1/messages",
			`{"model":"claude-sonnet-5",%s"max_tokens":9,"messages":%s}`,
			`"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]},`, messages},
		"Responses, a response before": {"/v1/responses", `{"model":"gpt-5.1",%s"input":%s}`,
			`"previous_response_id":"resp_1",`, items},
		"Responses, a conversation": {"/v1/responses", `{"model":"gpt-5.1",%s"input":%s}`,
			`"conversation":"conv_1",`, items},
		"Responses, compacted there": {"/v1/responses", `{"model":"gpt-5.1",%s"input":%s}`,
			`"context_management":[{"type":"compaction","compact_threshold":9}],`, items},
		"Gemini, cached content": {"/v1beta/models/gemini-3-pro:generateContent",
			`{%s"contents":%s}`, `"cachedContent":"cachedContents/1",`, contents},
		"Code Assist, cached content": {"/v1internal:generateContent",
			`{"model":"gemini-3-pro","request":{%s"contents":%s}}`,
			`"cachedContent":"cachedContents/1",`, contents},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, anything(), between(1000, 500))
			send := func(body []byte) (f forwarded, same bool) {
				g.upstream.Reset()
				f = ask(t, g.url+c.path, body)
				seen := g.upstream.Requests()
				if len(seen) != 1 {
					t.Fatalf("%d: %d requests, %.300s", f.status, len(seen), f.reply)
				}
				return f, bytes.Equal(seen[0].Body, body)
			}
			if f, same := send(fmt.Appendf(nil, c.form, c.member, c.conversation)); !same ||
				!f.did("none") {
				t.Errorf("%s, the same: %t", f.header.Get("Killick-Action"), same)
			}
			if f, same := send(fmt.Appendf(nil, c.form, "", c.conversation)); same {
				t.Errorf("without the member: %s, not compacted", f.header.Get("Killick-Action"))
			}
			if c.member != thread {
				return
			}
			f, same := send(fmt.Appendf(nil, c.form, c.member, newest))
			if reason := f.header.Get("Killick-Reason"); !same || !f.did("none") ||
				!strings.Contains(reason, "at the provider") {
				t.Errorf("the newest part: %s, %s, the same: %t", f.header.Get("Killick-Action"),
					reason, same)
			}
		})
	}
}
