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
	"killick/rawjson"
)

// byProvider has the API write summaries, and turns folded alone.
func byProvider(c *config.Config) {
	between(5000, 2500)(c)
	paying(c)
	c.Compaction.Summarizer = config.SummarizerProvider
	c.Compaction.Prepare = 0.3
	c.Compaction.MinMaskTokens = 100_000
	c.Compaction.SummaryChars = 2000
}

const (
	withProvider   = `killick_compactions_total{outcome="summary_by_provider"}`
	byRules        = `killick_compactions_total{outcome="summary"}`
	notWritten     = `killick_model_summaries_total{form="provider",outcome="model_failed"}`
	withCredential = `killick_model_summaries_total{form="provider",outcome="rejected_credential"}`
	ownCalls       = "killick_model_calls_total"
	ownTokens      = "killick_model_tokens_total"
	failedOpen     = "killick_fail_opens_total"

	summaryBeta = "compact-2026-09-04"
)

// The beginnings of a block that the API wrote, and of what asks for one.
var (
	summaryBlock = []byte(`"messages":[{"role":"assistant","content":[{"type":"compaction"`)
	summaryAsked = []byte(`"compaction":{"type":"summarize"}`)
)

// rested waits until nothing is prepared any more.
func (r *replica) rested(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		page := ask(t, "GET", r.admin+"/metrics", nil).body
		if bytes.Contains(page, []byte("\nkillick_requests_in_flight 0\n")) &&
			bytes.Contains(page, []byte("\nkillick_model_summaries_in_progress 0\n")) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a summary is still being prepared")
		}
	}
}

// rest sends so many of the next requests of a conversation, each once nothing is prepared.
func (k *talk) rest(t testing.TB, r *replica, requests int) (last answer) {
	t.Helper()
	for range min(requests, len(k.turns)-k.sent) {
		last = k.ask(t, r.public)
		r.rested(t)
	}
	return last
}

// seen is what the upstream got.
type seen struct {
	asked    int  // requests for a summary
	with     int  // turns that begin with one
	thinking int  // blocks behind it
	last     bool // the last turn begins with one
}

// see counts, and fails where something was refused or dropped, or where a turn lacks the words of
// the user or the beta that its summary needs.
func (k *talk) see(t *testing.T) (s seen) {
	t.Helper()
	for i, q := range k.up.Requests() {
		if q.Refused != "" {
			t.Errorf("request %d was refused: %s", i, q.Refused)
		}
		if q.Dropped > 0 {
			t.Errorf("request %d: %d thinking blocks were dropped", i, q.Dropped)
		}
		at := bytes.Index(q.Body, summaryBlock)
		asks := bytes.Contains(q.Body, summaryAsked)
		names := strings.Contains(q.Header.Get("Anthropic-Beta"), summaryBeta)
		if names != (asks || at >= 0) {
			t.Errorf("request %d: beta %q", i, q.Header.Get("Anthropic-Beta"))
		}
		if asks {
			s.asked++
			continue
		}
		s.last = at >= 0
		if !bytes.Contains(q.Body, []byte("Never edit a test")) {
			t.Errorf("request %d: the task is gone", i)
		}
		if at >= 0 {
			s.with++
			s.thinking += bytes.Count(q.Body[at:], []byte(`"type":"thinking"`))
		}
	}
	return s
}

// loop is a conversation of one task whose loop of calls goes on and on, with a model that checks
// what is before its thinking.
func loop(t testing.TB, script fakemessages.Config, header ...string) *talk {
	return newTalkTo(t, looping(checking, 30, 700), adaptive, true, script, header...)
}

// A running loop is folded again and again with summaries that the API writes. No thinking of the
// turns behind them is refused or left out, the user's words stand in every request, and a restart
// changes no byte.
func TestProviderSummaryKeepsThinking(t *testing.T) {
	k := newCachedTalk(t, looping(checking, 48, 1500), &caching{marks: 4})
	k.header = append(k.header, "Anthropic-Beta", "beta-1")
	r := newDeployment(t, k.up.URL()+"/v1", func(c *config.Config) {
		byProvider(c)
		between(12_000, 6000)(c)
	}).start(t)
	a := k.rest(t, r, 26)
	if r.total(t, withProvider) == 0 {
		t.Fatal("no summary of the provider's was used before the restart")
	}
	if got := a.header.Get("Killick-Probe"); !strings.HasSuffix(got, "provider=unverified") {
		t.Errorf("Killick-Probe: %q", got)
	}
	ref := a.header.Get("Killick-Summary")
	report := ask(t, "GET", r.public+"/killick/summaries/"+ref, nil, k.header...).body
	if !bytes.Contains(report, []byte(`"verified": false`)) {
		t.Errorf("the report has no summary of the provider's: %.400s", report)
	}
	r = r.restarted(t, false)
	k.again(t, r)
	k.rest(t, r, len(k.turns))
	s := k.see(t)
	t.Logf("%d of %d requests with a summary of the provider's, %d thinking blocks behind them; "+
		"%d were asked for", s.with, k.sent, s.thinking, s.asked)
	if s.with < k.sent/2 || s.thinking < 4*s.with || s.asked < 3 {
		t.Errorf("%+v: want more", s)
	}
	if n := r.total(t, refusals) + r.total(t, failedOpen); n > 0 {
		t.Errorf("%d refusals of reasoning and faults", n)
	}
	cached := r.total(t, ownTokens+`{kind="cached"}`)
	prompt := r.total(t, ownTokens+`{kind="prompt"}`)
	t.Logf("requests for summaries read %d of %d tokens from the cache", cached, prompt)
	if 2*cached < prompt || prompt == 0 {
		t.Error("they read less than half")
	}
	// A stream begins with the same bytes.
	body := bytes.Replace(k.last, []byte(`{`), []byte(`{"stream":true,`), 1)
	if a := ask(t, "POST", r.public+k.path, body, k.header...); a.status != 200 ||
		!bytes.Contains(a.body, []byte("message_stop")) || !k.see(t).last {
		t.Errorf("a stream: %d %.200s", a.status, a.body)
	}
}

// Claude Code's instructions among the messages stand behind the record, where the API takes them:
// behind a message of the user and before one of the model.
func TestProviderSummaryAndInstructions(t *testing.T) {
	k := loop(t, fakemessages.Config{})
	k.turns[0].messages = append(k.turns[0].messages,
		[]byte(`{"role":"system","content":"Work in /src. Answer in English."}`))
	r := newDeployment(t, k.up.URL()+"/v1", byProvider).start(t)
	k.rest(t, r, len(k.turns))
	s := k.see(t)
	for i, q := range k.up.Requests() {
		before, count := "", 0
		for m := range rawjson.Value(q.Body).Get("messages").Elements() {
			role := m.Get("role").Text()
			if before == "system" && role != "assistant" || role == "system" && before != "user" {
				if bytes.Contains(q.Body, summaryBlock) {
					t.Errorf("request %d: %s behind %s", i, role, before)
				}
			}
			if before = role; role == "system" {
				count++
			}
		}
		if asks := bytes.Contains(q.Body, summaryAsked); count != 1 && !asks {
			t.Errorf("request %d has the instructions %d times", i, count)
		}
	}
	if s.with < k.sent/3 || s.thinking < 4*s.with {
		t.Errorf("%+v: want more", s)
	}
}

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

// A gateway that drops the beta lets no summary be asked for: that is learnt at once.
func TestProviderSummaryBehindAGateway(t *testing.T) {
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
	if a := k.rest(t, r, 1); strings.Contains(a.header.Get("Killick-Probe"), "provider") {
		t.Errorf("Killick-Probe: %q", a.header.Get("Killick-Probe"))
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
		a := ask(t, "POST", r.public+k.path, one.body, one.header...)
		all := one.up.Requests()
		if a.status != 200 {
			t.Errorf("%s: %d %.300s", one.name, a.status, a.body)
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
	// A process with an empty store has the form by rules alone. The thinking that was made behind
	// the summary is refused then, and the request is sent again without.
	r = r.restarted(t, true)
	a := ask(t, "POST", r.public+k.path, k.last, k.header...)
	all := k.up.Requests()
	if last := &all[len(all)-1]; a.status != 200 || last.Refused != "" ||
		bytes.Contains(last.Body, summaryBlock) {
		t.Errorf("with an empty store: %d %.300s", a.status, a.body)
	}
}

// Recorded conversations whose model thinks at every turn are folded with summaries of the
// provider's; no thinking is refused, and none behind a summary is dropped.
func TestProviderSummariesOfRecordedConversations(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes too long under the race detector")
	}
	with, thoughts, requests := 0, 0, 0
	for i, c := range sampled(t, 9, 27) {
		chat := whole(&c, checking)
		if len(chat) < 60_000 || len(c.Messages) < 40 {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			k := newTalk(t, chat, adaptive, true)
			r := newDeployment(t, k.up.URL()+"/v1", func(cfg *config.Config) {
				byProvider(cfg)
				small(chat)(cfg)
				if i%2 == 0 { // and what else changes a conversation
					cfg.Compaction.MinMaskTokens, cfg.Compaction.Ingest = 300, 1500
					cfg.Compaction.WorkingSet = 1000
				}
			}).start(t)
			k.rest(t, r, len(k.turns))
			for i, q := range k.up.Requests() {
				if q.Refused != "" || q.Dropped > 0 {
					t.Errorf("request %d: %d blocks dropped, refused: %s", i, q.Dropped, q.Refused)
				}
				if at := bytes.Index(q.Body, summaryBlock); at >= 0 {
					with++
					thoughts += bytes.Count(q.Body[at:], []byte(`"type":"thinking"`))
				}
			}
			requests += k.sent
		})
	}
	t.Logf("%d of %d requests with a summary, %d thinking blocks behind them", with, requests,
		thoughts)
	if with == 0 || thoughts < with {
		t.Error("hardly any thinking was kept")
	}
}
