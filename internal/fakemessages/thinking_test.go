package fakemessages

import (
	"encoding/json"
	"strings"
	"testing"

	"killick/internal/fakemessages/request"
)

func TestThinkingSettings(t *testing.T) {
	s := start(t, Config{})
	thinking := func(model, setting string) string {
		return bodyOf(model, `"thinking":{"type":`+setting+`}`, hi)
	}
	for _, body := range []string{
		thinking(older, `"enabled","budget_tokens":1024`), thinking(newer, `"adaptive"`),
		thinking(newer, `"disabled"`), thinking(checks, `"adaptive","display":"summarized"`),
		thinking("claude-sonnet-5-5", `"between_tools"`), thinking(older, `"disabled"`),
	} {
		accepted(t, s, body)
	}
	for _, test := range []struct{ want, body string }{
		{`"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"`,
			thinking(newer, `"enabled","budget_tokens":1024`)},
		{"adaptive thinking is not supported on this model", thinking(older, `"adaptive"`)},
		{`"thinking.type.disabled" is not supported for this model.`,
			thinking(checks, `"disabled"`)},
		{`To turn thinking off on this model, send "thinking": {"type": "between_tools"}`,
			thinking("claude-sonnet-5-5", `"disabled"`)},
		{`"thinking.type.between_tools" is not supported for this model.`,
			thinking(newer, `"between_tools"`)},
		{"thinking.enabled.budget_tokens: Field required", thinking(older, `"enabled"`)},
		{"greater than or equal to 1024", thinking(older, `"enabled","budget_tokens":100`)},
		{"`max_tokens` must be greater than `thinking.budget_tokens`",
			thinking(older, `"enabled","budget_tokens":4096`)},
		{"thinking.adaptive.block_binding: Extra inputs are not permitted",
			thinking(checks, `"adaptive","block_binding":{}`)},
		{"Thinking may not be enabled when tool_choice forces tool use.",
			bodyOf(checks, tools+`,"tool_choice":{"type":"any"}`, hi)},
	} {
		refused(t, s, test.want, test.body)
	}
	accepted(t, s, thinking(newer, `"adaptive","block_binding":{"prefix_mismatch_behavior":null}`),
		"Anthropic-Beta", request.BetaBinding)
}

func TestRepliesThink(t *testing.T) {
	s := start(t, Config{Think: func(*Request) string { return "hm" }})
	loop := []string{hi, turnOf("assistant", calls("a")), turnOf("user", results("a", "x"))}
	const on = `"thinking":{"type":"enabled","budget_tokens":1024}`
	for _, test := range []struct{ name, body, want string }{
		{"by default, without text", bodyOf(checks, "", hi), `{"type":"thinking","thinking":"",`},
		{"with text", bodyOf(checks, `"thinking":{"type":"adaptive","display":"summarized"}`, hi),
			`{"type":"thinking","thinking":"hm",`},
		{"by hand", bodyOf(older, on, hi), `{"type":"thinking","thinking":"hm",`},
		{"not unless asked", bodyOf(older, "", hi), `{"type":"text",`},
		{"in a loop", bodyOf(newer, tools, loop...), `{"type":"thinking",`},
		{"not with a forced tool", bodyOf(newer, tools+`,"tool_choice":{"type":"any"}`, hi),
			`{"type":"text",`},
	} {
		m := accepted(t, s, test.body)
		if got := string(m.Content[0]); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	signed := signedTurn(t, s, bodyOf(older, on, hi), Thinking("hm"), Call("a", "read", `{}`))
	body := bodyOf(older, on, hi, signed, turnOf("user", results("a", "x")))
	if m := accepted(t, s, body); strings.Contains(string(m.Content[0]), "thinking") {
		t.Errorf("a model without interleaved thinking thinks between calls: %s", m.Content[0])
	}
	m := accepted(t, s, body, "Anthropic-Beta", "interleaved-thinking-2025-05-14")
	if !strings.Contains(string(m.Content[0]), "thinking") {
		t.Errorf("a model with interleaved thinking does not think: %s", m.Content[0])
	}
}

// signedTurn is the assistant turn of contents as the server answers them to body.
func signedTurn(t *testing.T, s *Server, body string, contents ...Content) string {
	t.Helper()
	blocks, err := s.Sign([]byte(body), nil, contents...)
	if err != nil {
		t.Fatal(err)
	}
	return turnOf("assistant", texts(blocks)...)
}

func texts(blocks []json.RawMessage) []string {
	all := make([]string, len(blocks))
	for i, b := range blocks {
		all[i] = string(b)
	}
	return all
}

func TestManualThinkingStartsTheLoop(t *testing.T) {
	s := start(t, Config{})
	const on = `"thinking":{"type":"enabled","budget_tokens":1024}`
	result := turnOf("user", results("a", "x"))
	with := signedTurn(t, s, bodyOf(older, on, hi), Thinking("hm"), Call("a", "read", `{}`))
	redacted := signedTurn(t, s, bodyOf(older, on, hi), Redacted(), Call("a", "read", `{}`))
	bare := turnOf("assistant", calls("a"))
	more := turnOf("assistant", calls("b"))
	for name, body := range map[string]string{
		"with thinking":          bodyOf(older, on, hi, with, result),
		"with redacted thinking": bodyOf(older, on, hi, redacted, result),
		"after the loop":         bodyOf(older, on, hi, bare, result, says("assistant", "ok"), hi),
		"later in the loop": bodyOf(older, on, hi, with, result, more,
			turnOf("user", results("b", "x"))),
		"not enabled": bodyOf(older, "", hi, bare, result),
		"adaptive":    bodyOf(newer, "", hi, bare, result),
	} {
		if a := ask(t, s, body); a.status != 200 {
			t.Errorf("%s: %d %s, want 200", name, a.status, a.body)
		}
	}
	//nolint:misspell // the spelling is Anthropic's
	const want = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but " +
		"found `tool_use`. When `thinking` is enabled, a final `assistant` message must start " +
		"with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` " +
		"blocks)."
	refused(t, s, want, bodyOf(older, on, hi, bare, result))
	refused(t, s, want, bodyOf(older, on, hi, bare, result, more,
		turnOf("user", results("b", "x"))))
	late := signedTurn(t, s, bodyOf(older, on, hi), Text("So."), Thinking("hm"))
	refused(t, s, "messages.1.content.0: If an assistant message contains any thinking blocks, "+
		"the first block must be `thinking` or `redacted_thinking`. Found `text`.",
		bodyOf(older, on, hi, late, hi))
}

func TestThinkingOfTheLatestTurnStays(t *testing.T) {
	s := start(t, Config{})
	const modified = "`thinking` or `redacted_thinking` blocks in the latest assistant message " +
		"cannot be modified. These blocks must remain as they were in the original response."
	const summarized = `"thinking":{"type":"adaptive","display":"summarized"}`
	for _, model := range []string{"claude-opus-4-6", newer, checks} {
		first := bodyOf(model, summarized, hi)
		blocks, err := s.Sign([]byte(first), nil, Thinking("one"), Text("Look."), Redacted(),
			Call("a", "read", `{}`))
		if err != nil {
			t.Fatal(err)
		}
		all := texts(blocks)
		turn := func(blocks ...string) string {
			return bodyOf(model, summarized, hi, turnOf("assistant", blocks...),
				turnOf("user", results("a", "x")))
		}
		accepted(t, s, turn(all...))
		accepted(t, s, turn(all[1], all[3])) // all thinking removed
		refused(t, s, "messages.1.content.0: "+modified,
			turn(strings.Replace(all[0], "one", "two", 1), all[1], all[2], all[3]))
		refused(t, s, "messages.1.content.1: "+modified, turn(all[1], all[2], all[3]))
		refused(t, s, "messages.1.content.0: Invalid `signature` in `thinking` block",
			turn(strings.Replace(all[0], `"signature":"`, `"signature":"x`, 1), all[3]))
		refused(t, s, "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
			turn(`{"type":"redacted_thinking","data":"b2xk"}`, all[3]))
	}
}
