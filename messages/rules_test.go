package messages

import (
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/view"
)

// A turn stays with the thinking at its start, even if the user wrote something after a result, in
// the same message or in another one: that does not end the turn.
func TestLoopsStayWithTheirThinking(t *testing.T) {
	const (
		head = `{"model":"claude-sonnet-4-5","thinking":{"type":"enabled"},"messages":[` +
			`{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking",` +
			`"thinking":"t","signature":"s"},{"type":"tool_use","id":"1","name":"f","input":{}}]},`
		result = `{"type":"tool_result","tool_use_id":"1","content":"r"}`
		text   = `{"type":"text","text":"b"}`
		plain  = `,{"role":"assistant","content":"c"}`

		thinking = `,{"role":"assistant","content":[` +
			`{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"d"}]}`
	)
	user := func(blocks ...string) string {
		return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
	}
	for name, tt := range map[string]struct {
		rest   string
		groups int
	}{
		"a result":         {user(result) + plain, 2},
		"a text behind it": {user(result, text) + plain, 2},
		"another message":  {user(result) + "," + user(text) + plain, 2},
		"thinking again":   {user(result) + thinking, 3},
		"another turn":     {user(result) + plain + "," + user(text) + plain, 4},
	} {
		r := parse(t, head+tt.rest+`]}`)
		rules := Format.Rules(r)
		groups := view.Grouping{}.Extend(r.Messages(), rules).Groups
		if len(groups) != tt.groups {
			t.Errorf("%s: %v, want %d groups", name, groups, tt.groups)
		}
	}
}

func parse(t testing.TB, body string) *view.Request {
	t.Helper()
	return viewtest.Parse(t, Format, body)
}

func TestClientsMayAskToDropBlocks(t *testing.T) {
	for behaviour, want := range map[string]bool{"drop_block": false, "error": true} {
		r := parse(t, `{"model":"claude-opus-5-5","thinking":{"type":"adaptive","block_binding":`+
			`{"prefix_mismatch_behavior":"`+behaviour+`"}},"messages":[]}`)
		if got := Format.Rules(r).DropSigned; got != want {
			t.Errorf("%s: DropSigned %t, want %t", behaviour, got, want)
		}
	}
}

func TestManagedRequestsAreLeft(t *testing.T) {
	tests := []struct {
		name, members, content string
		want                   bool
	}{
		{"nothing", ``, `"hi"`, false},
		{"null", `"compaction":null,"context_management":null,`, `"hi"`, false},
		{"compaction", `"compaction":{"type":"summarize"},`, `"hi"`, true},
		{"clear_tool_uses",
			`"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]},`,
			`"hi"`, true},
		{"compact", `"context_management":{"edits":[{"type":"compact_20260112"}]},`, `"hi"`, true},
		{"clear_thinking",
			`"context_management":{"edits":[{"type":"clear_thinking_20251015"}]},`,
			`"hi"`, true},
		{"all thinking is kept, as by Claude Code",
			`"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},`,
			`"hi"`, false},
		{"all thinking is kept, spelled out", `"context_management":{"edits":[` +
			`{"type":"clear_thinking_20251015","keep":{"type":"all"}}]},`, `"hi"`, false},
		{"some is kept", `"context_management":{"edits":[` +
			`{"type":"clear_thinking_20251015","keep":{"type":"thinking_turns","value":1}}]},`,
			`"hi"`, true},
		{"two edits", `"context_management":{"edits":[` +
			`{"type":"clear_thinking_20251015","keep":"all"},` +
			`{"type":"clear_tool_uses_20250919"}]},`, `"hi"`, true},
		{"no edits", `"context_management":{"edits":[]},`, `"hi"`, false},
		{"something new", `"context_management":{"auto":true},`, `"hi"`, true},
		{"no object", `"context_management":"auto",`, `"hi"`, true},
		{"a compaction block", ``, `[{"type":"compaction","content":"c"}]`, true},
		{"one beside a result", ``,
			`[{"type":"tool_result","tool_use_id":"1"},{"type":"compaction","content":null}]`,
			true},
		{"other fixed blocks", ``, `[{"type":"tool_addition"}]`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := parse(t, `{`+tt.members+`"messages":[{"role":"user","content":`+tt.content+`}]}`)
			if got := Format.Rules(r).Passthrough != ""; got != tt.want {
				t.Errorf("left: %t, want %t", got, tt.want)
			}
		})
	}
}

// The API holds the conversation of a thread.
func TestThreadsAreLeft(t *testing.T) {
	for thread, want := range map[string]view.Passthrough{
		`null`: "", `{"type":"create"}`: view.ServerState,
		`{"type":"continue","previous_message_id":"msg_1"}`: view.ServerState,
	} {
		r := parse(t, `{"thread":`+thread+`,"messages":[{"role":"user","content":[`+
			`{"type":"tool_result","tool_use_id":"1","content":"done"}]}]}`)
		if got := Format.Rules(r).Passthrough; got != want {
			t.Errorf("%s: %q, want %q", thread, got, want)
		}
	}
}

// Opus and Sonnet since 4.6, Fable and Mythos write summaries on request.
func TestModelsThatSummarize(t *testing.T) {
	for model, want := range map[string]bool{
		"claude-opus-5-5": true, "claude-opus-4-6-20260205": true, "claude-opus-4-5": false,
		"claude-sonnet-5-5": true, "claude-sonnet-4-6": true, "claude-sonnet-4-5": false,
		"claude-haiku-5-5": false, "claude-fable-5": true, "claude-mythos-5-2": true,
		"claude-opus": false, "claude-3-7-sonnet": false, "gpt-6": false,
	} {
		r := parse(t, `{"model":"`+model+`","messages":[]}`)
		if got := Format.Rules(r).Summarizes; got != want {
			t.Errorf("%s: %t, want %t", model, got, want)
		}
	}
	r := parse(t, `{"model":"claude-opus-5-5","output_config":{"task_budget":{"remaining":9}},`+
		`"messages":[]}`)
	if Format.Rules(r).Summarizes {
		t.Error("what is left of a budget cannot be stated beside a summary")
	}
}
