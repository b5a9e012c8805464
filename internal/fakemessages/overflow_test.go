package fakemessages

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func streamed(t *testing.T, s *Server) *http.Request {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/v1/messages",
		strings.NewReader(bodyOf(newer, `"stream":true`, hi)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Anthropic-Version", "2023-06-01")
	return req
}

func drain(resp *http.Response) error {
	_, err := io.Copy(io.Discard, resp.Body)
	return err
}

func TestOverflow(t *testing.T) {
	const window = 5000
	small, middle, large := hi, parts(0, 2), parts(0, 5)
	for _, test := range []struct {
		model    string
		overflow Overflow
		prompt   string
		want     string // the refusal, or the stop reason
	}{
		{older, ByModel, small, "end_turn"},
		{older, ByModel, middle, "end_turn"},
		{older, ByModel, large, "prompt is too long: 5008 tokens > 5000 maximum"},
		{"claude-sonnet-4-20250514", ByModel, middle, "input length and `max_tokens` exceed " +
			"context limit: 2008 + 4096 > 5000, decrease input length or `max_tokens` and try " +
			"again"},
		{"claude-sonnet-4-20250514", ByModel, small, "end_turn"},
		{checks, ByModel, large, "prompt is too long: 5008 tokens > 5000 maximum"},
		{checks, RefusesPrompt, middle, "end_turn"},
		{checks, RefusesMaxTokens, middle, "input length and `max_tokens` exceed context limit"},
		{checks, Stops, large, "model_context_window_exceeded"},
	} {
		s, _ := cached(t, Config{Window: func(string) int { return window },
			Overflow: test.overflow})
		a := ask(t, s, bodyOf(test.model, "", test.prompt))
		var got string
		if strings.Contains(test.want, " ") {
			got = a.refusal(t, 400, invalidRequest)
		} else {
			got = a.message(t).Stop
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s %q: %q, want %q", test.model, test.overflow, got, test.want)
		}
	}
}

// A model of today's takes a prompt that leaves too little room, and stops when that is full.
func TestStopsWhenTheWindowIsFull(t *testing.T) {
	s := start(t, Config{Window: func(string) int { return 2010 },
		Text: func(s string) int { return len(s) }})
	if m := accepted(t, s, bodyOf(checks, "", parts(0, 2))); m.Stop !=
		"model_context_window_exceeded" {
		t.Errorf("stop reason %q", m.Stop)
	}
}

func TestNoTokensAreAskedFor(t *testing.T) {
	s, _ := cached(t, Config{})
	body := strings.Replace(bodyOf(newer, "", parts(0, 2, 1)), leading, `"max_tokens":0,`, 1)
	m := accepted(t, s, body)
	if len(m.Content) != 0 || m.Stop != "max_tokens" || m.Usage.OutputTokens != 0 ||
		m.Usage.CacheCreationTokens != 2008 {
		t.Errorf("%+v, want an empty answer that filled the cache", m)
	}
	refused(t, s, "max_tokens: Input should be greater than or equal to 0",
		strings.Replace(body, `"max_tokens":0`, `"max_tokens":-1`, 1))
}
