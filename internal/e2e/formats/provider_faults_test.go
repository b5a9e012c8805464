package formats

import (
	"bytes"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/fakemessages"
)

// Where no summary can be had the record by rules stands alone, and the client sees no error: the
// model declines, the answer is cut, the call fails, takes too long or would exceed its limit, or
// the model has none. Folds with and without one follow each other with no thinking refused.
func TestProviderSummaryInVain(t *testing.T) {
	var asked atomic.Int64
	for name, c := range map[string]struct {
		script fakemessages.Config
		set    func(*config.Config)
		model  string
		some   bool // some summaries are used
	}{
		"declined": {script: fakemessages.Config{
			NoSummary: func(*fakemessages.Request) string { return "refusal" }}},
		"cut": {script: fakemessages.Config{
			NoSummary: func(*fakemessages.Request) string { return "max_tokens" }}},
		"no text": {script: fakemessages.Config{
			NoSummary: func(*fakemessages.Request) string { return "end_turn" }}},
		"now and then": {script: fakemessages.Config{
			NoSummary: func(*fakemessages.Request) string {
				if asked.Add(1)%6 < 3 {
					return "refusal"
				}
				return ""
			}}, some: true},
		"too slow": {script: fakemessages.Config{
			Summarize: func(*fakemessages.Request) string {
				time.Sleep(200 * time.Millisecond)
				return "late"
			}}, set: func(c *config.Config) { c.Model.Timeout = 10 * time.Millisecond }},
		"a credential": {script: fakemessages.Config{
			Summarize: func(*fakemessages.Request) string {
				return "The key is sk-ant-api03-" + strings.Repeat("aB3dE5fG7h", 9)
			}}},
		"over the limit": {set: func(c *config.Config) { c.Model.MaxCalls = 1 }, some: true},
		"not offered":    {model: "claude-haiku-5-5"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "now and then" {
				t.Skip("it takes too long under the race detector")
			}
			model := checking
			if c.model != "" {
				model = c.model
			}
			k := newTalkTo(t, looping(model, 40, 700), adaptive, true, c.script)
			r := newDeployment(t, k.up.URL()+"/v1", func(cfg *config.Config) {
				byProvider(cfg)
				if c.set != nil {
					c.set(cfg)
				}
			}).start(t)
			k.rest(t, r, len(k.turns))
			s := k.see(t)
			if s.with > 0 != c.some || r.total(t, withProvider) > 0 != c.some {
				t.Errorf("%d requests with a summary of the provider's, want some: %t", s.with,
					c.some)
			}
			if r.total(t, byRules) == 0 {
				t.Error("no record by rules was made")
			}
			if n := r.total(t, refusals); n > 0 {
				t.Errorf("%d refusals of reasoning", n)
			}
			notWritten := notWritten
			if name == "a credential" {
				notWritten = withCredential
			}
			if failed := r.total(t, notWritten); failed > 0 != (c.model == "") {
				t.Errorf("%d failures were counted, the upstream was asked %d times", failed,
					s.asked)
			}
			if n := r.total(t, ownCalls); name == "over the limit" && n != 1 {
				t.Errorf("%d calls, want 1", n)
			}
		})
	}
}

// dropping is a gateway before an upstream that drops headers of betas while it is told to.
func dropping(t testing.TB, upstream string, drops *atomic.Bool) string {
	t.Helper()
	to, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		if drops.Load() {
			r.Out.Header.Del("Anthropic-Beta")
		}
	}})
	t.Cleanup(s.Close)
	return s.URL
}

// A gateway that drops the beta lets no summary be asked for: that is learned at once.
func TestProviderSummaryThroughAGateway(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes too long under the race detector")
	}
	var drops atomic.Bool
	drops.Store(true)
	k := loop(t, fakemessages.Config{})
	r := newDeployment(t, dropping(t, k.up.URL(), &drops)+"/v1", byProvider).start(t)
	k.rest(t, r, len(k.turns))
	asked := 0
	for _, q := range k.up.Requests() {
		if bytes.Contains(q.Body, summaryAsked) {
			asked++
		}
		if bytes.Contains(q.Body, summaryBlock) {
			t.Error("a request begins with a summary of the provider's")
		}
	}
	if asked != 1 || r.total(t, byRules) < 2 || r.total(t, refusals) > 0 {
		t.Errorf("%d requests for a summary, want 1; %d records, %d refusals", asked,
			r.total(t, byRules), r.total(t, refusals))
	}
}

// An upstream that takes a summary no more gets the form by rules instead, at once and from then
// on, and the client sees no error.
func TestProviderSummaryIsWithdrawn(t *testing.T) {
	var drops atomic.Bool
	k := loop(t, fakemessages.Config{})
	r := newDeployment(t, dropping(t, k.up.URL(), &drops)+"/v1", byProvider).start(t)
	k.rest(t, r, 18)
	if !k.see(t).last {
		t.Fatal("the last request does not begin with a summary of the provider's")
	}
	drops.Store(true)
	if a := k.rest(t, r, 1); strings.Contains(a.Header.Get("Killick-Probe"), "provider") {
		t.Errorf("Killick-Probe: %q", a.Header.Get("Killick-Probe"))
	}
	r = r.restarted(t, false)
	k.rest(t, r, len(k.turns))
	refused := 0
	for _, q := range k.up.Requests() {
		if q.Refused != "" && bytes.Contains(q.Body, summaryBlock) {
			refused++
		} else if q.Refused != "" && !bytes.Contains(q.Body, summaryAsked) {
			t.Errorf("refused: %s", q.Refused)
		}
	}
	if refused != 1 || r.total(t, refusals) > 0 {
		t.Errorf("%d requests with a summary were refused, want 1; %d refusals of reasoning",
			refused, r.total(t, refusals))
	}
}

// What the API of one upstream wrote is sent to no other one, nor for another client; where a
// conversation comes back it has the form by rules.
func TestProviderSummaryStaysAtItsUpstream(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes too long under the race detector")
	}
	k := loop(t, fakemessages.Config{})
	other := fakemessages.New(fakemessages.Config{Record: true})
	t.Cleanup(other.Close)
	d := newDeployment(t, "", byProvider)
	d.config.Upstream = config.Upstream{}
	d.config.Upstreams = []config.UpstreamEntry{
		{Name: "one", BaseURL: k.up.URL() + "/v1", Models: []string{checking}},
		{Name: "two", BaseURL: other.URL() + "/v1"},
	}
	r := d.start(t)
	k.rest(t, r, 18)
	if !k.see(t).last {
		t.Fatal("the last request does not begin with a summary of the provider's")
	}
	stranger := slices.Clone(k.header)
	stranger[1] = "another key"
	elsewhere := bytes.Replace(k.last, []byte(checking), []byte("claude-fable-5-1"), 1)
	for _, one := range []struct {
		name   string
		body   []byte
		header []string
		up     *fakemessages.Server
		with   bool
	}{
		{"another client", k.last, stranger, k.up, false},
		{"the same client", k.last, k.header, k.up, true},
		{"another upstream", elsewhere, k.header, other, false},
		{"the first upstream again", k.last, k.header, k.up, false},
	} {
		a := r.Ask(t, "POST", k.path, one.body, one.header...)
		all := one.up.Requests()
		if a.Status != 200 {
			t.Errorf("%s: %d %.300s", one.name, a.Status, a.Body)
		}
		if got := bytes.Contains(all[len(all)-1].Body, summaryBlock); got != one.with {
			t.Errorf("%s: the request begins with the summary: %t", one.name, got)
		}
	}
	for _, q := range other.Requests() {
		if bytes.Contains(q.Body, summaryBlock) {
			t.Error("another upstream got the summary")
		}
	}
	// A process with an empty store has the form by rules alone. The thinking that was made after
	// the summary is refused then, and the request is sent again without.
	r = r.restarted(t, true)
	a := r.Ask(t, "POST", k.path, k.last, k.header...)
	all := k.up.Requests()
	if last := &all[len(all)-1]; a.Status != 200 || last.Refused != "" ||
		bytes.Contains(last.Body, summaryBlock) {
		t.Errorf("with an empty store: %d %.300s", a.Status, a.Body)
	}
}
