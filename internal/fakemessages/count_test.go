package fakemessages

import (
	"net/http"
	"strings"
	"testing"

	"killick/internal/fakemessages/claude"
)

const countPath = "/v1/messages/count_tokens"

func TestCountsTokens(t *testing.T) {
	s, _ := cached(t, Config{})
	body := bodyOf(newer, `"cache_control":{"type":"ephemeral"}`, parts(0, 2))
	a := post(t, s, countPath, strings.Replace(body, leading, "", 1))
	if a.status != http.StatusOK || a.body != `{"input_tokens":2008}` {
		t.Errorf("%d %s, want 2008", a.status, a.body)
	}
	if u := accepted(t, s, body).Usage; u.CacheCreationTokens+u.InputTokens != 2008 {
		t.Errorf("%+v, want the same in all", u)
	}
	edits := strings.Replace(body, leading, `"context_management":{"edits":[]},`, 1)
	edits = strings.Replace(edits, "part0", "part00", 1)
	a = post(t, s, countPath, edits, "Anthropic-Beta", "context-management-2025-06-27")
	const want = `{"context_management":{"original_input_tokens":2009},"input_tokens":2009}`
	if a.body != want {
		t.Errorf("%s, want %s", a.body, want)
	}
	got := post(t, s, countPath, body).refusal(t, 400, invalidRequest)
	if got != "max_tokens: Extra inputs are not permitted" {
		t.Errorf("max_tokens is refused with %q", got)
	}
	a = post(t, s, countPath, strings.Replace(body, leading, summarize+",", 1), compacting...)
	if a.status != http.StatusOK {
		t.Errorf("counting with compaction: %d %s, want 200", a.status, a.body)
	}
}

func TestModelNames(t *testing.T) {
	for name, least := range map[string]int{
		"claude-opus-4-20250514": 1024, "claude-opus-4-5": 4096, "claude-opus-4-5-20251101": 4096,
		"claude-opus-5": 512, "us.anthropic.claude-opus-4-7-v1:0": 2048,
		"claude-haiku-4-5@20251001": 4096,
		"claude-opus-4-9":           0, "claude-opus": 0, "gpt-5.1": 0,
	} {
		m, ok := claude.Named(name)
		if ok != (least > 0) || m.LeastCached != least {
			t.Errorf("%s: %+v, %v; want a minimum of %d", name, m, ok, least)
		}
	}
	s := start(t, Config{Models: map[string]claude.Model{"mine": {Prefill: true}}})
	accepted(t, s, bodyOf("mine", "", hi))
}
