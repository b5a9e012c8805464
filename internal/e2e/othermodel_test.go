package e2e

import (
	"net/http"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/fakeupstream"
)

// newOtherModel starts an upstream with a model of the operator's, at an address of its own.
func newOtherModel(t *testing.T) *fakeupstream.Server {
	t.Helper()
	s := fakeupstream.New(fakeupstream.Config{Record: true, Count: countForUpstream,
		Scripted: &fakeupstream.Scripted{}})
	t.Cleanup(s.Close)
	return s
}

// wantAskedWith checks that all requests to an upstream had this key; without any if it is "".
func wantAskedWith(t *testing.T, upstream *fakeupstream.Server, key string) {
	t.Helper()
	want := ""
	if key != "" {
		want = "Bearer " + key
	}
	for _, r := range upstream.Requests() {
		if got := r.Header.Get("Authorization"); got != want {
			t.Errorf("asked as %q, want %q", got, want)
		}
	}
}

// A model of the operator's is asked with its own key, and never with a client's.
func TestSummariesByAnotherModel(t *testing.T) {
	for _, key := range []string{"sk-operator", ""} {
		writer := newOtherModel(t)
		g := newWritingGateway(t, fakeupstream.Config{}, func(c *config.Config) {
			c.Compaction.MinMaskTokens = 100000
			c.Model.Name, c.Model.BaseURL, c.Model.APIKey = "gpt-4o-mini", writer.URL(),
				config.Secret(key)
		})
		msgs := billing(40)
		for n := 4; n <= len(msgs); n += 2 {
			if f := g.send(t, requestOf(msgs[:n])); f.status != http.StatusOK {
				t.Fatalf("turn %d: status %d: %s", n, f.status, f.reply)
			}
		}
		if len(writer.Requests()) == 0 ||
			g.metric(t, `killick_compactions_total{outcome="summary_by_model"}`) == 0 {
			t.Errorf("the model was asked %d times; %s", len(writer.Requests()), g.log)
		}
		wantAskedWith(t, writer, key)
		for _, r := range g.upstream.Requests() {
			if fakeupstream.Asked(mustParse(t, r.Body)) != "" {
				t.Error("the upstream was asked for a summary")
			}
		}
	}
}

// A model of the probe's own verifies, answers and grades, asked with its own key or
// none. What writes and asks stays the client's; both share their caps.
func TestProbeByAnotherModel(t *testing.T) {
	for _, key := range []string{"sk-grader", ""} {
		grader := newOtherModel(t)
		g := newWritingGateway(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{}},
			func(c *config.Config) {
				folding(c)
				c.Probe.Model = config.ProbeModel{Name: "gpt-4o-mini", BaseURL: grader.URL(),
					APIKey: config.Secret(key)}
				c.Model.MaxCalls = 4
			})
		used := 0
		g.eachTurn(t, billing(30), func(body []byte, _ string) { used += len(narratives(t, body)) })
		asked := map[string]int{}
		wantAskedWith(t, grader, key)
		for _, r := range grader.Requests() {
			asked["grader "+fakeupstream.Asked(mustParse(t, r.Body))]++
			if model := mustParse(t, r.Body).Model(); model != "gpt-4o-mini" {
				t.Errorf("the grader is asked for %s", model)
			}
			if text := string(r.Body); strings.Contains(text, "You are a careful agent") {
				t.Errorf("the grader is shown the conversation: %s", text)
			}
		}
		for _, r := range g.upstream.Requests() {
			if what := fakeupstream.Asked(mustParse(t, r.Body)); what != "" {
				asked["upstream "+what]++
			}
		}
		if used == 0 || asked["grader verdicts"] != 1 || asked["grader answers"] != 1 ||
			asked["upstream statements"] != 1 || asked["upstream questions"] != 1 ||
			len(asked) != 4 {
			t.Errorf("%d narratives, asked %v; want each once, by the shared cap of 4", used, asked)
		}
	}
}
