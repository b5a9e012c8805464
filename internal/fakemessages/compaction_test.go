package fakemessages

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"killick/internal/fakemessages/request"
)

const summarize = `"compaction":{"type":"summarize"}`

var compacting = []string{"Anthropic-Beta", request.BetaCompaction}

func TestSummarizesOnRequest(t *testing.T) {
	s := start(t, Config{Summarize: func(*Request) string { return "the gist" }})
	c := conversation(t, s)
	m := accepted(t, s, bodyOf(checks, c.rest+","+summarize, c.messages[:3]...), compacting...)
	var block summaryJSON
	if len(m.Content) != 1 || json.Unmarshal(m.Content[0], &block) != nil ||
		block.Type != "compaction" || block.Content != "the gist" || block.Signature == "" ||
		m.Stop != "compaction" || m.Usage.InputTokens != 0 || m.Usage.OutputTokens != 0 ||
		len(m.Usage.Iterations) != 1 || m.Usage.Iterations[0].InputTokens == 0 {
		t.Fatalf("%+v %s, want one signed block, and its usage as an iteration", m, m.Content)
	}
	// The thinking of the turns that are kept is still good.
	summary := turnOf("assistant", string(m.Content[0]))
	kept := append([]string{summary}, c.messages[3:]...)
	next := accepted(t, s, bodyOf(checks, c.rest, kept...), compacting...)
	// So is what is thought after the block, and after the next summary.
	kept = append(kept, turnOf("assistant", texts(next.Content)...), hi)
	accepted(t, s, bodyOf(checks, c.rest, kept...), compacting...)
	again := accepted(t, s, bodyOf(checks, c.rest+","+summarize, kept[:3]...), compacting...)
	accepted(t, s, bodyOf(checks, c.rest, append([]string{turnOf("assistant",
		string(again.Content[0]))}, kept[3:]...)...), compacting...)

	for name, messages := range map[string][]string{
		"a message skipped": append([]string{summary}, c.messages[5:]...),
		"a message added":   append([]string{summary, hi}, c.messages[3:]...),
		"a kept one changed": append([]string{summary, c.messages[3],
			strings.Replace(c.messages[4], "text", "line", 1)}, c.messages[5:]...),
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, s, "bound to a different conversation", bodyOf(checks, c.rest, messages...),
				compacting...)
		})
	}
}

func TestSummaryOfAnotherModelInvalidatesThinking(t *testing.T) {
	s := start(t, Config{})
	c := conversation(t, s)
	m := accepted(t, s, bodyOf(newer, c.rest+","+summarize, c.messages[:3]...), compacting...)
	kept := append([]string{turnOf("assistant", string(m.Content[0]))}, c.messages[3:]...)
	refused(t, s, "bound to a different conversation", bodyOf(checks, c.rest, kept...),
		compacting...)
}

func TestRefusesSummaries(t *testing.T) {
	s := start(t, Config{})
	m := accepted(t, s, bodyOf(newer, summarize, hi), compacting...)
	block := string(m.Content[0])
	summary := turnOf("assistant", block)
	accepted(t, s, bodyOf(newer, "", summary, hi), compacting...)
	accepted(t, s, bodyOf(newer, "", turnOf("user", block, `{"type":"text","text":"go on"}`)),
		compacting...)
	for _, test := range []struct{ code, want, body string }{
		{"compaction_block_misplaced", "must be sent first", bodyOf(newer, "", hi, summary, hi)},
		{"compaction_content_mismatch", "differs", bodyOf(newer, "",
			strings.Replace(summary, "Summary", "summary", 1), hi)},
		{"compaction_signature_invalid", "invalid", bodyOf(newer, "",
			strings.Replace(summary, `"signature":"`, `"signature":"A`, 1), hi)},
		{"", "messages.0.content.0.compaction.citations: Extra inputs are not permitted",
			bodyOf(newer, "", strings.Replace(summary, `"signature"`,
				`"citations":null,"signature"`, 1), hi)},
		{"", "without results: a", bodyOf(newer, summarize, hi, turnOf("assistant", calls("a")))},
		{"", "cannot be combined with `compaction`",
			bodyOf(newer, summarize+`,"stop_sequences":["x"]`, hi)},
		{"", "cannot force a tool", bodyOf(newer, summarize+`,"tool_choice":{"type":"any"}`, hi)},
		{"compaction_nothing_to_summarize", "at least one message", bodyOf(newer, summarize)},
	} {
		a := ask(t, s, test.body, compacting...)
		got := a.refusal(t, 400, invalidRequest)
		if !strings.Contains(got, test.want) || test.code != "" && !strings.Contains(a.body,
			`"error_code":"`+test.code+`"`) {
			t.Errorf("refused with %s, want %q and code %q", a.body, test.want, test.code)
		}
	}
	refused(t, s, "`compaction` requires anthropic-beta: compact-2026-09-04",
		bodyOf(newer, summarize, hi))
	refused(t, s, "Input tag 'compaction' found using 'type' does not match",
		bodyOf(newer, "", summary, hi))
}

func TestSummaryStreams(t *testing.T) {
	s := start(t, Config{})
	a := ask(t, s, bodyOf(newer, `"stream":true,`+summarize, hi), compacting...)
	var types []string
	for _, e := range events(t, a.body) {
		types = append(types, e.name)
	}
	if want := []string{"message_start", "content_block_start", "ping", "content_block_stop",
		"message_delta", "message_stop"}; !slices.Equal(types, want) {
		t.Errorf("events %v, want %v", types, want)
	}
}

// A summary that is not written is an answer with nothing in it, and is billed; Haiku writes none.
func TestSummariesThatAreNotWritten(t *testing.T) {
	s := start(t, Config{NoSummary: func(*Request) string { return "refusal" }})
	m := accepted(t, s, bodyOf(newer, summarize, hi), compacting...)
	if len(m.Content) != 0 || m.Stop != "refusal" || len(m.Usage.Iterations) != 1 ||
		m.Usage.Iterations[0].InputTokens == 0 {
		t.Errorf("%+v", m)
	}
	refused(t, s, "does not support", bodyOf("claude-haiku-4-5", summarize, hi), compacting...)
}
