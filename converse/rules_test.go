package converse

import (
	"testing"

	"killick/view"
)

// What only the server has, and what it compacts itself, is left alone. Thinking of Claude is
// treated as over its own API.
func TestRules(t *testing.T) {
	const rest = `"messages":[{"role":"user","content":[{"text":"a"}]}]}`
	for _, c := range []struct {
		model, fields string
		want          view.Rules
	}{
		{"us.amazon.nova-pro-v1:0", ``, view.Rules{}},
		{"us.anthropic.claude-opus-5-5-v1:0", ``, view.Rules{DropSigned: true}},
		{"us.anthropic.claude-opus-5-5-v1:0", `"additionalModelRequestFields":{"thinking":{` +
			`"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}},`,
			view.Rules{}},
		{"anthropic.claude-sonnet-4-5-20250929-v1:0", `"additionalModelRequestFields":{` +
			`"thinking":{"type":"enabled"}},`, view.Rules{StartSigned: true}},
		{"amazon.nova-pro-v1:0", `"promptVariables":{"a":{"text":"b"}},`,
			view.Rules{Passthrough: view.ServerState}},
		{"amazon.nova-pro-v1:0", `"promptVariables":null,`, view.Rules{}},
		{"m", `"additionalModelRequestFields":{"context_management":{"edits":[{"type":` +
			`"clear_tool_uses_20250919"}]}},`, view.Rules{Passthrough: view.Managed}},
		{"m", `"additionalModelRequestFields":{"compaction":{"type":"summarize"}},`,
			view.Rules{Passthrough: view.Managed}},
	} {
		r := parse(t, `{`+c.fields+rest)
		r.SetModel(c.model)
		c.want.UserFirst = true
		if got := Format.Rules(r); got != c.want {
			t.Errorf("%s with %s: %+v, want %+v", c.model, c.fields, got, c.want)
		}
	}
}
