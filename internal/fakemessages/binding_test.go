package fakemessages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
)

// bound is a conversation of three answers with thinking on a model that checks prefixes.
type bound struct {
	rest     string
	messages []string
}

func conversation(t *testing.T, s *Server) *bound {
	t.Helper()
	c := &bound{rest: `"system":"be brief",` + tools, messages: []string{hi}}
	for i := range 3 {
		id := fmt.Sprint("c", i)
		c.messages = append(c.messages, signedTurn(t, s, c.body(), Thinking("hm"),
			Call(id, "read", `{"path":"a.go","n":1}`)), turnOf("user", results(id, "text of "+id)))
	}
	return c
}

func (c *bound) body() string { return bodyOf(checks, c.rest, c.messages...) }

// edited is the body with a change in one message.
func (c *bound) edited(i int, old, new string) string {
	messages := slices.Clone(c.messages)
	messages[i] = strings.Replace(messages[i], old, new, 1)
	return bodyOf(checks, c.rest, messages...)
}

// unthinking removes the thinking block at the start of an assistant message.
func unthinking(message string) string {
	before, _, _ := strings.Cut(message, `{"type":"thinking"`)
	j := strings.Index(message, `{"type":"tool_use"`)
	return before + message[j:]
}

const otherConversation = "Invalid `signature` in `thinking` block. The block is bound to a " +
	"different conversation. Remove the block, or set " +
	"`thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\". That setting requires " +
	"the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."

func TestThinkingIsBoundToItsPrefix(t *testing.T) {
	s := start(t, Config{})
	c := conversation(t, s)
	accepted(t, s, c.body())
	for _, test := range []struct{ name, body string }{
		{"appended", bodyOf(checks, c.rest, append(slices.Clone(c.messages), hi)...)},
		{"other parameters", bodyOf(checks, c.rest+`,"output_config":{"effort":"low"},`+
			`"tool_choice":{"type":"none"}`, c.messages...)},
		{"blocks for strings", bodyOf(checks, strings.Replace(c.rest, `"be brief"`,
			`[{"text":"be brief","type":"text","cache_control":{"type":"ephemeral"}}]`, 1),
			append([]string{says("user", "hello")}, c.messages[1:]...)...)},
		{"JSON spelled in another way", c.edited(1, `{"path":"a.go","n":1}`,
			`{ "n": 1, "path" : "\u0061.go"}`)},
		{"a mark", c.edited(2, `{"type":"tool_result"`,
			`{"cache_control":{"type":"ephemeral"},"type":"tool_result"`)},
		{"a deferred tool", bodyOf(checks, strings.Replace(c.rest, `"tools":[`,
			`"tools":[{"name":"new","input_schema":{},"defer_loading":true},`, 1), c.messages...)},
		{"the first thinking removed", c.with(1)},
		{"the last thinking removed", c.with(5)},
		{"all thinking removed", c.with(1, 3, 5)},
	} {
		if a := ask(t, s, test.body); a.status != 200 {
			t.Errorf("%s: %d %s, want 200", test.name, a.status, a.body)
		}
	}
	for _, test := range []struct{ name, want, body string }{
		{"system", "messages.1.content.0: " + otherConversation + " The `system` prompt differs " +
			"from the one this block was created with.",
			strings.Replace(c.body(), "brief", "terse", 1)},
		{"a billing line", "messages.1.content.0: " + otherConversation, strings.Replace(c.body(),
			`"be brief"`, `[{"type":"text","text":"x-anthropic-billing-header: cch=00000;"},`+
				`{"type":"text","text":"be brief"}]`, 1)},
		{"tools", "messages.1.content.0: " + otherConversation + " The `tools` list differs from " +
			"the one this block was created with.",
			strings.Replace(c.body(), "reads", "writes", 1)},
		{"the first message", "messages.1.content.0: " + otherConversation,
			c.edited(0, "hello", "hello!")},
		{"a result", "messages.3.content.0: " + otherConversation, c.edited(2, "text", "line")},
		{"an input", "messages.3.content.0: " + otherConversation, c.edited(1, "a.go", "b.go")},
		{"a message added", "messages.4.content.0: " + otherConversation, bodyOf(checks, c.rest,
			slices.Insert(slices.Clone(c.messages), 3, hi)...)},
		{"a gap", "messages.5.content.0: " + otherConversation + " The `thinking` block that " +
			"preceded this one when it was created is missing from this request.", c.with(3)},
	} {
		t.Run(test.name, func(t *testing.T) { refused(t, s, test.want, test.body) })
	}
	counted := strings.Replace(strings.Replace(c.body(), leading, "", 1), "brief", "terse", 1)
	post(t, s, countPath, counted).refusal(t, 400, invalidRequest)
}

// with is the body without the thinking of some messages.
func (c *bound) with(without ...int) string {
	messages := slices.Clone(c.messages)
	for _, i := range without {
		messages[i] = unthinking(messages[i])
	}
	return bodyOf(checks, c.rest, messages...)
}

// Messages of role system are part of the prefix, with what they set.
func TestSystemMessagesAreBound(t *testing.T) {
	s := start(t, Config{})
	header := []string{"Anthropic-Beta", "mid-conversation-output-config-2026-07-01"}
	low := `{"role":"system","content":[],"output_config":{"effort":"low"}}`
	m := accepted(t, s, bodyOf(checks, "", hi, low, hi), header...)
	turn := turnOf("assistant", texts(m.Content)...)
	accepted(t, s, bodyOf(checks, "", hi, low, hi, turn, hi), header...)
	refused(t, s, "bound to a different conversation", bodyOf(checks, "", hi,
		strings.Replace(low, "low", "high", 1), hi, turn, hi), header...)
	refused(t, s, "bound to a different conversation", bodyOf(checks, "", hi, hi, turn, hi))
}

func TestOtherModelsDoNotCheckPrefixes(t *testing.T) {
	s := start(t, Config{})
	turn := signedTurn(t, s, bodyOf(newer, "", hi), Thinking("hm"), Text("ok"))
	accepted(t, s, bodyOf(newer, `"system":"new"`, says("user", "changed"), turn, hi))
}

func binding(behavior string) string {
	return `,"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"` +
		behavior + `"}}`
}

// With drop_block, blocks after a change go, those before it and those made after it stay.
func TestDropsThinkingWhosePrefixChanged(t *testing.T) {
	s := start(t, Config{})
	c := conversation(t, s)
	c.rest += binding("drop_block")
	beta := []string{"Anthropic-Beta", request.BetaBinding}
	if m := accepted(t, s, c.body(), beta...); m.Changes == nil || len(m.Changes) != 0 {
		t.Errorf("unchanged: input_transformations %v, want []", m.Changes)
	}
	c.messages[2] = strings.Replace(c.messages[2], "text", "line", 1)
	m := accepted(t, s, c.body(), beta...)
	want := []thinking.Transformation{
		{Type: thinking.Dropped, Path: "messages.3.content.0", Reason: thinking.PrefixMismatch},
		{Type: thinking.Dropped, Path: "messages.5.content.0", Reason: thinking.PrefixMismatch},
	}
	if !slices.Equal(m.Changes, want) {
		t.Errorf("dropped %v, want %v", m.Changes, want)
	}
	// What the model thinks now is bound to what it was shown.
	c.messages = append(c.messages, turnOf("assistant", texts(m.Content)...), hi)
	if m := accepted(t, s, c.body(), beta...); !slices.Equal(m.Changes, want) {
		t.Errorf("a turn later: %v, want %v", m.Changes, want)
	}
	if got := s.Requests()[2].Dropped; got != 2 {
		t.Errorf("%d dropped blocks recorded, want 2", got)
	}
	// Without the stale thinking the rest needs no permission.
	c.rest = strings.Replace(c.rest, "drop_block", "error", 1)
	c.messages[3], c.messages[5] = unthinking(c.messages[3]), unthinking(c.messages[5])
	if m := accepted(t, s, c.body(), beta...); len(m.Changes) != 0 {
		t.Errorf("with stale thinking removed: %v, want none", m.Changes)
	}
	const short = "to \"drop_block\". The `system` prompt differs"
	refused(t, s, short, strings.Replace(c.body(), "brief", "terse", 1), beta...)
}

func TestThinkingOfOtherModels(t *testing.T) {
	s := start(t, Config{})
	beta := []string{"Anthropic-Beta", request.BetaBinding}
	made := func(model string) string {
		return signedTurn(t, s, bodyOf(model, "", hi), Thinking("hm"), Text("ok"))
	}
	for _, test := range []struct {
		maker, reader string
		dropped       int
	}{
		{newer, checks, 0}, {checks, newer, 1}, {checks, "claude-fable-5-1", 0},
		{checks, "claude-haiku-5-5", 1}, {"claude-haiku-5-5", "claude-fable-5-1", 0},
	} {
		m := accepted(t, s, bodyOf(test.reader, "", hi, made(test.maker), hi), beta...)
		if len(m.Changes) != test.dropped ||
			test.dropped > 0 && m.Changes[0].Reason != thinking.ModelMismatch {
			t.Errorf("%s reads %s: %v, want %d dropped", test.reader, test.maker, m.Changes,
				test.dropped)
		}
	}
}

func TestServersAcceptTheThinkingOfEachOther(t *testing.T) {
	c := conversation(t, start(t, Config{}))
	other := start(t, Config{})
	accepted(t, other, c.body())
	if _, err := other.Sign([]byte(c.edited(2, "text", "line")), nil, Thinking("")); err == nil {
		t.Error("signed after thinking that is not valid")
	}
}
