package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/fakeupstream"
)

// folding makes a gateway fold, and prepare, a conversation of a few dozen turns
// several times.
var folding = foldBetween(9000, 3500)

// inTurn sends every request of a conversation, streamed ones among them, and
// fails for each that is not answered as the upstream would. It returns how many
// were sent with a record.
func (g *writingGateway) inTurn(t *testing.T, msgs []string) (folded int) {
	t.Helper()
	for n := 4; n <= len(msgs); n += 2 {
		body, ends := requestOf(msgs[:n]), "}"
		if n%6 == 0 {
			body, ends = bytes.Replace(body, []byte("{"), []byte(`{"stream":true,`), 1),
				"data: [DONE]"
		}
		f := g.send(t, body)
		reply := strings.TrimSpace(string(f.reply))
		if f.status != http.StatusOK || !strings.HasSuffix(reply, ends) ||
			ends == "}" && !json.Valid(f.reply) {
			t.Fatalf("turn %d: status %d: %.400s", n, f.status, reply)
		}
		if strings.Contains(f.header.Get("Killick-Action"), "summary") {
			folded++
		}
	}
	return folded
}

// Whatever a model does when it is asked for a summary, no request of a client
// fails, the turns are folded all the same, and it is counted what became of it.
func TestMisbehavingModelsOverHTTP(t *testing.T) {
	outcome := map[fakeupstream.Kind]string{}
	for _, kind := range misbehaviours {
		outcome[kind] = "prepared"
	}
	for _, kind := range []fakeupstream.Kind{fakeupstream.Refusing, fakeupstream.Malformed,
		fakeupstream.Slow, fakeupstream.Failing, fakeupstream.Acknowledging, fakeupstream.Wordy} {
		outcome[kind] = "model_failed"
	}
	outcome[fakeupstream.Wrong], outcome[fakeupstream.Unknowing] = "rejected_probe",
		"rejected_probe"
	outcome[fakeupstream.Approving] = "rejected_verifier"
	msgs := billing(36)
	for _, kind := range misbehaviours {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && kind != fakeupstream.Malformed &&
				kind != fakeupstream.Contradicting {
				t.Skip("trimmed in short runs")
			}
			g := newWritingGateway(t,
				fakeupstream.Config{Scripted: &fakeupstream.Scripted{Kind: kind}},
				func(c *config.Config) {
					folding(c)
					if kind == fakeupstream.Slow {
						c.Model.Timeout = 50 * time.Millisecond
					}
				})
			folded := g.inTurn(t, msgs)
			written, byRules := g.metric(t,
				`killick_compactions_total{outcome="summary_by_model"}`),
				g.metric(t, `killick_compactions_total{outcome="summary"}`)
			if folded == 0 || written+byRules < 2 {
				t.Errorf("%d turns with a record, %v were made", folded, written+byRules)
			}
			want := outcome[kind]
			form := "none"
			if strings.HasPrefix(want, "rejected_") {
				form = "structured"
			}
			if got := g.metric(t, `killick_model_summaries_total{`); g.metric(t,
				`killick_model_summaries_total{form="`+form+`",outcome="`+want) == 0 &&
				want != "prepared" {
				t.Errorf("%v summaries were asked for, none came to %s", got, want)
			}
			if want == "prepared" && written == 0 {
				t.Errorf("nothing that the model stated was used: %s", g.log)
			}
			if want != "prepared" && written > 0 {
				t.Errorf("%v records hold what a model stated", written)
			}
			for _, r := range g.upstream.Requests() {
				if asked := fakeupstream.Asked(mustParse(t, r.Body)); asked == "" &&
					r.Status != http.StatusOK {
					t.Errorf("a turn was refused with %d", r.Status)
				}
			}
			if faults := g.metric(t, "killick_fail_opens_total{"); faults > 0 {
				t.Errorf("%v faults were survived; none should be: %s", faults, g.log)
			}
		})
	}
}

// Calls to models end at their cap, within an hour and a conversation; the turns
// go on with summaries by rules.
func TestCapOnCallsOverHTTP(t *testing.T) {
	g := newWritingGateway(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{}},
		func(c *config.Config) {
			folding(c)
			c.Model.MaxCalls = 4 // statements, verdicts, questions and answers
		})
	g.inTurn(t, billing(36))
	if calls := g.metric(t, "killick_model_calls_total "); calls != 4 {
		t.Errorf("%v calls were made, want 4", calls)
	}
	written, byRules := g.metric(t, `killick_compactions_total{outcome="summary_by_model"}`),
		g.metric(t, `killick_compactions_total{outcome="summary"}`)
	if written != 1 || byRules == 0 {
		t.Errorf("%v summaries by the model and %v by rules, want one and the others",
			written, byRules)
	}
	if testing.Short() {
		return
	}
	// Another conversation has calls of its own.
	other := billing(36)
	other[1] = `{"role":"user","content":"Repair the billing service once more. Never touch ` +
		`db/migrations."}`
	g.inTurn(t, other)
	if calls := g.metric(t, "killick_model_calls_total "); calls != 8 {
		t.Errorf("%v calls were made for two conversations, want 8", calls)
	}
}

// What was prepared before a restart is found by the next process, and used.
func TestPreparedSurvivesARestart(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	upstream := fakeupstream.New(fakeupstream.Config{Count: countForUpstream,
		Scripted: &fakeupstream.Scripted{}})
	t.Cleanup(upstream.Close)
	start := func(c *config.Config) {
		folding(c)
		c.Cache.InMemory, c.Cache.Dir, c.Upstream.BaseURL = false, store, upstream.URL()
	}
	msgs := billing(36)
	t.Run("before", func(t *testing.T) {
		g := newWritingGateway(t, fakeupstream.Config{}, start)
		for n := 4; g.metric(t,
			`killick_model_summaries_total{form="structured",outcome="prepared"}`) == 0; n += 2 {
			if n > len(msgs) {
				t.Fatal("nothing was prepared")
			}
			g.send(t, requestOf(msgs[:n]))
		}
		if g.metric(t, `killick_compactions_total{`) > 0 {
			t.Fatal("it was used at once")
		}
	})
	if t.Failed() {
		return
	}
	g := newWritingGateway(t, fakeupstream.Config{}, start)
	for n := 4; n <= len(msgs); n += 2 {
		f := g.send(t, requestOf(msgs[:n]))
		if f.status != http.StatusOK {
			t.Fatalf("turn %d: status %d: %s", n, f.status, f.reply)
		}
		if strings.Contains(f.header.Get("Killick-Action"), "summary") {
			break
		}
	}
	if g.metric(t, `killick_compactions_total{outcome="summary_by_model"}`) != 1 ||
		g.metric(t, "killick_model_calls_total ") > 0 {
		t.Errorf("after the restart %v were used, %v calls made: %s",
			g.metric(t, `killick_compactions_total{outcome="summary_by_model"}`),
			g.metric(t, "killick_model_calls_total "), g.log)
	}
}

// A summary that is being prepared while its conversation is forgotten is not
// stored afterwards.
func TestDeletedWhileItIsPrepared(t *testing.T) {
	for _, path := range []string{"/killick/conversations", "/killick/data"} {
		t.Run(path, func(t *testing.T) {
			g := newWritingGateway(t,
				fakeupstream.Config{Scripted: &fakeupstream.Scripted{Kind: fakeupstream.Slow,
					Delay: 300 * time.Millisecond}}, folding)
			msgs := billing(36)
			n := 4
			for ; g.metric(t, "killick_model_summaries_in_progress ") == 0; n += 2 {
				if n > len(msgs) {
					t.Fatal("nothing was prepared")
				}
				ask(t, g.url+chatPath, requestOf(msgs[:n]), "Authorization", "Bearer sk-client")
			}
			forget := func() string {
				status, text := send(t, http.MethodDelete, g.url+path, requestOf(msgs[:n-2]),
					"Authorization", "Bearer sk-client")
				if status != http.StatusOK {
					t.Fatalf("status %d: %s", status, text)
				}
				return text
			}
			forget()
			g.settle(t)
			if g.metric(t, `killick_model_summaries_total{`) !=
				g.metric(t, `killick_model_summaries_total{form="none",outcome="cancelled"}`) {
				t.Errorf("it went on: %s", g.log)
			}
			if text := forget(); !strings.Contains(text, `"records":0`) {
				t.Errorf("something was stored after it was to be forgotten: %s", text)
			}
		})
	}
}
