package formats

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
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
	c.Compaction.SummaryBytes = 2000
}

const (
	withProvider   = `compactions_total{outcome="summary_by_provider"}`
	byRules        = `compactions_total{outcome="summary"}`
	notWritten     = `model_summaries_total{form="provider",outcome="model_failed"}`
	withCredential = `model_summaries_total{form="provider",outcome="rejected_credential"}`
	ownCalls       = "model_calls_total"
	ownTokens      = "model_tokens_total"
	failedOpen     = "fail_opens_total"

	summaryBeta = "compact-2026-09-04"
)

// The beginnings of a block that the API wrote, and of what asks for one.
var (
	summaryBlock = []byte(`"messages":[{"role":"assistant","content":[{"type":"compaction"`)
	summaryAsked = []byte(`"compaction":{"type":"summarize"}`)
)

// settled waits until nothing is prepared any more.
func (r *replica) settled(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		page := proxytest.Ask(t, "GET", r.Admin+"/metrics", nil).Body
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
func (k *talk) rest(t testing.TB, r *replica, requests int) (last proxytest.Answer) {
	t.Helper()
	for range min(requests, len(k.turns)-k.sent) {
		last = k.ask(t, r.Public)
		r.settled(t)
	}
	return last
}

// seen is what the upstream got.
type seen struct {
	asked    int  // requests for a summary
	with     int  // turns that begin with one
	thinking int  // blocks after it
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
// turns after them is refused or left out, the user's words are in every request, and a restart
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
	if got := a.Header.Get("Killick-Probe"); !strings.HasSuffix(got, "provider=unverified") {
		t.Errorf("Killick-Probe: %q", got)
	}
	ref := a.Header.Get("Killick-Summary")
	report := r.Ask(t, "GET", "/killick/summaries/"+ref, nil, k.header...).Body
	if !bytes.Contains(report, []byte(`"verified": false`)) {
		t.Errorf("the report has no summary of the provider's: %.400s", report)
	}
	r = r.restarted(t, false)
	k.again(t, r)
	k.rest(t, r, len(k.turns))
	s := k.see(t)
	t.Logf("%d of %d requests with a summary of the provider's, %d thinking blocks after them; "+
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
	if a := r.Ask(t, "POST", k.path, body, k.header...); a.Status != 200 ||
		!bytes.Contains(a.Body, []byte("message_stop")) || !k.see(t).last {
		t.Errorf("a stream: %d %.200s", a.Status, a.Body)
	}
}

// What Claude Code instructs among the messages follows the record, where the API takes it: after a
// message of the user and before one of the model.
func TestInstructionsPrecedeTheModel(t *testing.T) {
	for _, summarizer := range []string{config.SummarizerRules, config.SummarizerProvider} {
		if testing.Short() && summarizer == config.SummarizerProvider {
			break // it takes too long under the race detector
		}
		k := loop(t, fakemessages.Config{})
		k.turns[0].messages = append(k.turns[0].messages,
			[]byte(`{"role":"system","content":"Work in /src. Answer in English."}`))
		r := newDeployment(t, k.up.URL()+"/v1", func(c *config.Config) {
			byProvider(c)
			c.Compaction.Summarizer = summarizer
		}).start(t)
		byRules := summarizer == config.SummarizerRules
		for range k.turns {
			if k.ask(t, r.Public); !byRules {
				r.settled(t)
			}
		}
		k.instructed(t)
		s := k.see(t)
		if s.with < k.sent/3 != byRules || len(k.refs) < 2 {
			t.Errorf("%s: %+v, %d records", summarizer, s, len(k.refs))
		}
	}
}

// instructed fails where the instructions among the messages are not once, after a message of the
// user and before one of the model.
func (k *talk) instructed(t *testing.T) {
	t.Helper()
	for i, q := range k.up.Requests() {
		before, count := "", 0
		for m := range rawjson.Value(q.Body).Get("messages").Elements() {
			role := m.Get("role").Text()
			if before == "system" && role != "assistant" || role == "system" && before != "user" {
				t.Errorf("request %d: %s after %s", i, role, before)
			}
			if before = role; role == "system" {
				count++
			}
		}
		if asks := bytes.Contains(q.Body, summaryAsked); count != 1 && !asks {
			t.Errorf("request %d has the instructions %d times", i, count)
		}
	}
}

// Recorded conversations whose model thinks at every turn are folded with summaries of the
// provider's; no thinking is refused, and none after a summary is dropped.
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
	t.Logf("%d of %d requests with a summary, %d thinking blocks after them", with, requests,
		thoughts)
	if with == 0 || thoughts < with {
		t.Error("hardly any thinking was kept")
	}
}
