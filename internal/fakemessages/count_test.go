package fakemessages

import (
	"encoding/json"
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

func TestKindsOfText(t *testing.T) {
	for text, want := range map[string]Kind{
		"":                                       Prose,
		"The quick brown fox, and so on.":        Prose,
		"func f() error { return g(x[i]); }":     Code,
		" {\"level\":\"info\",\"message\":\"\"}": JSON,
		"[1, 2]":                                 JSON,
		"ログを読んでから直します。": CJK,
	} {
		if got := KindOf(text); got != want {
			t.Errorf("%q is of kind %d, want %d", text, got, want)
		}
	}
}

func TestFactors(t *testing.T) {
	prose := strings.Repeat("the quick brown fox and so on ", 40)
	count := func(model string, cfg Config) int {
		a := post(t, start(t, cfg), countPath, `{"model":"`+model+`","messages":[`+
			says("user", prose)+`]}`)
		var n struct {
			Tokens int `json:"input_tokens"`
		}
		if err := json.Unmarshal([]byte(a.body), &n); err != nil {
			t.Fatal(err)
		}
		return n.Tokens - tokensOfPrompt - tokensOfBlock
	}
	plain := count(newer, Config{})
	for model, factor := range map[string]float64{older: 1.2, newer: 1.74} {
		got, want := count(model, Config{Factor: Factors}), int(factor*float64(plain)+0.5)
		if got != want {
			t.Errorf("%s: %d tokens, want %v × %d", model, got, factor, plain)
		}
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
