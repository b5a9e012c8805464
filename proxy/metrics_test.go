package proxy

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"killick/compaction"
	"killick/proxy/class"
	"killick/proxy/target"
	"killick/view"
)

func TestMetricsOfACompactedRequest(t *testing.T) {
	r := newRig(t, new(recorder), compacting)
	r.chat(threeTurns)
	r.do(r.request("GET", "/v1/models", nil))
	r.logLine(1)
	for _, test := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"killick_requests_total", []string{`route="chat"`, `action="mask+summary"`,
			`status="2xx"`}, 1},
		{"killick_requests_total", []string{`route="pass"`, `action="none"`, `status="2xx"`}, 1},
		{"killick_tokens_total", []string{`kind="raw"`}, 1000},
		{"killick_tokens_total", []string{`kind="sent"`}, 400},
		{"killick_tokens_total", []string{`kind="saved"`}, 600},
		{"killick_compactions_total", []string{`outcome="mask"`}, 1},
		{"killick_compactions_total", []string{`outcome="summary"`}, 1},
		{"killick_coverage_items_total", []string{`state="held"`}, 37},
		{"killick_added_seconds_count", nil, 1},
		{"killick_requests_in_flight", nil, 0},
		{"killick_bodies_held_bytes", nil, 0},
		{"killick_conversations_known_bytes", nil, 0},
		{"killick_build_info", []string{`version="dev"`}, 1},
		{"killick_observe_requests_total", nil, 0},
	} {
		if got := r.metric(test.name, test.labels...); got != test.want {
			t.Errorf("%s%v: got %v, want %v", test.name, test.labels, got, test.want)
		}
	}
}

// Nothing is saved of a request that the upstream refuses.
func TestTokensOfRefusedRequestsAreNotCounted(t *testing.T) {
	for status, want := range map[int]float64{200: 600, 400: 0, 529: 0} {
		r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		}), compacting)
		r.chat(threeTurns)
		r.logLine(0)
		if got := r.metric("killick_tokens_total", `kind="saved"`); got != want {
			t.Errorf("status %d: %v tokens saved, want %v", status, got, want)
		}
	}
}

var unmeasured = measured{
	held: func() float64 { return 0 }, known: func() float64 { return 0 },
}

// An alert on a rise would miss the first fault if its series began with it.
func TestFaultsAreCountedFromZero(t *testing.T) {
	reg := prometheus.NewRegistry()
	if _, err := newMetrics(reg, "v", nil, unmeasured); err != nil {
		t.Fatal(err)
	}
	got, want := series(t, reg, "killick_fail_opens_total"), len(compaction.FailOpenReasons)
	if got != want {
		t.Errorf("%d reasons from the start, want %d", got, want)
	}
}

// series returns how many series a metric has.
func series(t *testing.T, from prometheus.Gatherer, name string) int {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return len(f.GetMetric())
		}
	}
	return 0
}

// What requests are counted by is few, but not as few as the words of one label: none of it may be
// counted as other, however long the proxy runs and whatever it has seen first.
func TestRequestsAreCountedByAllTheirLabels(t *testing.T) {
	reg := prometheus.NewRegistry()
	m, err := newMetrics(reg, "v", nil, unmeasured)
	if err != nil {
		t.Fatal(err)
	}
	actions := []string{"none", "observe", "bypass", "answer"}
	for set := 1; set < 8; set++ {
		label := actionLabel(&compaction.Outcome{Masked: set&1 > 0, Folded: set&2 > 0,
			Reused: set&4 > 0})
		actions = append(actions, label, label+"+retry")
	}
	n := 0
	for of := range class.Formats {
		for _, action := range actions {
			for _, status := range []string{"2xx", "3xx", "4xx", "5xx", "499"} {
				m.requests.With(string(of), action, status).Inc()
				n++
			}
		}
	}
	if got := series(t, reg, "killick_requests_total"); got != n {
		t.Errorf("%d combinations are counted apart, want %d", got, n)
	}
}

func TestTwoProxiesOnOneRegistryIsAnError(t *testing.T) {
	opt := Options{
		Upstream: target.Upstream{BaseURL: mustParse(t, "http://x")},
		Registry: prometheus.NewRegistry(),
	}
	if _, err := New(opt); err != nil {
		t.Fatal(err)
	}
	if _, err := New(opt); err == nil {
		t.Error("want an error that says so")
	}
}

func TestAccessLog(t *testing.T) {
	up := &recorder{answer: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/base/models" {
			w.WriteHeader(404)
			return
		}
		w.Header().Set("X-Request-Id", "from-upstream")
		_, _ = io.WriteString(w, completion)
	}}
	r := newRig(t, up, compacting)
	r.chat(threeTurns, "X-Request-Id", "from-client")
	r.do(r.request("GET", "/v1/models", nil, "X-Request-Id", "from-client"))
	r.do(r.request("GET", "/v1/models", nil))
	var line map[string]any
	read := func(n int) {
		line = nil
		if err := json.Unmarshal([]byte(r.logLine(n)), &line); err != nil {
			t.Fatal(err)
		}
	}
	read(0)
	for key, want := range map[string]any{
		"level": "INFO", "method": "POST", "route": "chat", "status": 200.0,
		"action":     "mask, summary",
		"raw_tokens": 1000.0, "sent_tokens": 400.0, "reason": "over the trigger",
		"request_id": "from-upstream",
		"in_bytes":   float64(len(threeTurns)), "out_bytes": float64(len(completion)),
		"prompt_tokens": 70.0, "model": "m",
	} {
		if line[key] != want {
			t.Errorf("%s: got %v, want %v", key, line[key], want)
		}
	}
	if who, _ := line["client"].(string); len(who) != 8 {
		t.Errorf("who: got %q, want 8 characters of a hash", who)
	}
	read(1)
	if line["request_id"] != "from-client" || line["status"] != 404.0 || line["route"] != "pass" ||
		line["action"] != nil {
		t.Errorf("got %v", line)
	}
	read(2)
	if id, _ := line["request_id"].(string); len(id) != 16 {
		t.Errorf("got request id %q, want one of ours", id)
	}
	if got := up.last().Header.Get("X-Request-Id"); got != "" {
		t.Errorf("our request id %q reached the upstream", got)
	}
	if strings.Contains(r.logs.String(), "/models") {
		t.Error("the log holds a path")
	}
}

// The log names a model as it is in the body, and nothing that is no name of one.
func TestTheLogNamesModels(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"us.anthropic.claude-opus-4-5-20251101-v1:0","messages":[]}`: "us.anthropic." +
			"claude-opus-4-5-20251101-v1:0",
		`{"model":"openai/gpt-5.1","messages":[]}`:                   "openai/gpt-5.1",
		`{"messages":[{"content":"x"}],"model":"gemini@001"}`:        "gemini@001",
		`{"model":"what the user said","messages":[]}`:               "",
		`{"model":"a\nmsg=request","messages":[]}`:                   "",
		`{"model":"` + strings.Repeat("a", 101) + `","messages":[]}`: "",
		`{"model":7,"messages":[]}`:                                  "",
		`{"messages":[]}`:                                            "",
		`no JSON`:                                                    "",
	} {
		if got := loggedModel(view.PeekModel([]byte(body)).Text()); got != want {
			t.Errorf("%.60s: %q, want %q", body, got, want)
		}
	}
}

// A client that was given the admin listener's address is told so.
func TestAdminListenerIsNotForModels(t *testing.T) {
	r := newRig(t, new(recorder))
	w := httptest.NewRecorder()
	r.proxy.AdminHandler().ServeHTTP(w, httptest.NewRequest("POST", "/v1/chat/completions", nil))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "admin listener") {
		t.Errorf("got %d, %s", w.Code, w.Body)
	}
}
