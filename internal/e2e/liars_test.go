package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/view"
)

// narrativeHeading begins what a model wrote in a record.
const narrativeHeading = "## Account by a model (not the user's words)\n"

// narratives are what models wrote in the records of a request, without the heading.
func narratives(t testing.TB, body []byte) (all []string) {
	t.Helper()
	msgs := mustParse(t, body).Messages()
	for i := range msgs {
		if _, narrative, ok := strings.Cut(msgs[i].Text(), narrativeHeading); ok {
			narrative, _, _ = strings.Cut(narrative, "\n\n")
			narrative, _, _ = strings.Cut(narrative, "\n[")
			all = append(all, strings.TrimSpace(narrative))
		}
	}
	return all
}

// talks are the conversations that were written for the study of probes, two in each of five
// languages, with enough reading after them to be folded.
func talks(t testing.TB) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../probe/testdata/conversations/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d conversations, %v; want at least 10", len(files), err)
	}
	all := map[string][]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var talk struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(raw, &talk); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		msgs := []string{`{"role":"system","content":"You are a careful agent."}`}
		for _, m := range talk.Messages {
			msgs = append(msgs, string(m))
		}
		for _, m := range billing(26)[2:] {
			m = strings.ReplaceAll(m, `"id":"c`, `"id":"read`)
			msgs = append(msgs, strings.ReplaceAll(m, `"tool_call_id":"c`, `"tool_call_id":"read`))
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = msgs
		if testing.Short() && len(all) == 2 {
			break
		}
	}
	return all
}

// liesOf are the statements that a scripted model adds to its faithful statements.
func liesOf(script fakeupstream.Scripted) map[string]bool {
	lies := map[string]bool{}
	for _, s := range script.State(nil, 0) {
		lies[s.Text] = true
	}
	return lies
}

// eachTurn sends a conversation turn by turn. After each it calls seen with what was
// forwarded and the verdict in the header of the reply.
func (g *writingGateway) eachTurn(t testing.TB, msgs []string,
	seen func(body []byte, proof string)) {
	t.Helper()
	for n := 4; n <= len(msgs); n++ {
		if !strings.Contains(msgs[n-1], `"role":"tool"`) &&
			!strings.Contains(msgs[n-1], `"role": "tool"`) {
			continue
		}
		f := g.send(t, requestOf(msgs[:n]))
		if f.status != http.StatusOK {
			t.Fatalf("turn %d: status %d: %s", n, f.status, f.reply)
		}
		seen(lastTurn(t, g), f.header.Get("Killick-Probe"))
	}
}

// Nothing that a model made up reaches what is forwarded, though the verifier supports all that
// shares a word with its quote: neither with invented quotes, nor beside true quotes.
func TestLiarsOverHTTP(t *testing.T) {
	kinds := []fakeupstream.Kind{fakeupstream.Nonsense, fakeupstream.Foreign,
		fakeupstream.Inventing, fakeupstream.Granting}
	if testing.Short() {
		kinds = kinds[:1] // what runs at once is the same
	}
	for _, kind := range kinds {
		for _, variant := range []string{"", "quoted"} {
			t.Run(string(kind)+variant, func(t *testing.T) {
				t.Parallel()
				script := fakeupstream.Scripted{Kind: kind, Variant: variant, Most: 12,
					Verifier: fakeupstream.Agreeing, Prober: fakeupstream.Faithful}
				lies := liesOf(script)
				written, refused, used := 0.0, 0.0, 0
				for name, msgs := range talks(t) {
					g := newWritingGateway(t, fakeupstream.Config{Scripted: &script},
						func(c *config.Config) {
							folding(c)
							c.Probe.OnError = config.OnErrorAccept
						})
					g.eachTurn(t, msgs, func(body []byte, _ string) {
						text := bodyText(t, body)
						for lie := range lies {
							if strings.Contains(text, lie) {
								t.Errorf("%s: forwarded: %s", name, lie)
							}
						}
						used += len(narratives(t, body))
					})
					written += g.metric(t, `killick_model_summaries_total{form="structured"`)
					refused += g.metric(t, `killick_model_refused_total{`)
				}
				if len(lies) < 10 || written == 0 || refused < 10*written {
					t.Errorf("%d lies, stated %v times: %v statements were refused", len(lies),
						written, refused)
				}
				if used == 0 {
					t.Error("no faithful statement of the model was used: the test sees nothing")
				}
			})
		}
	}
}

// bodyText is all that messages of a request say and call.
func bodyText(t testing.TB, body []byte) string {
	t.Helper()
	var b strings.Builder
	msgs := mustParse(t, body).Messages()
	for i := range msgs {
		b.WriteString(msgs[i].Text() + "\n")
		for _, call := range msgs[i].ToolCalls() {
			b.WriteString(call.Arguments.Text() + "\n")
		}
	}
	return b.String()
}

// stated matches a statement in a narrative: its section, the messages, the text and, in a line by
// itself, who wrote the quote, and the quote.
var stated = regexp.MustCompile(
	`^[a-z]+ \([0-9, ]+\): (.+)\n  quoting (?:user|assistant|tool|client): (.+)$`)

// What is false in the conversation's own words beside a true quote, and approved by a verifier
// that does not compare them, is beside that quote, and under a heading that says who wrote it.
func TestApprovedStatementsAreShownBesideTheirQuotes(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	shown, contradicting := 0, 0
	for name, msgs := range talks(t) {
		script := fakeupstream.Scripted{Kind: fakeupstream.Contradicting,
			Verifier: fakeupstream.Agreeing, Prober: fakeupstream.Faithful}
		g := newWritingGateway(t, fakeupstream.Config{Scripted: &script}, func(c *config.Config) {
			folding(c)
			c.Probe.MaxQuestions = 0
		})
		texts := strings.Join(strings.Fields(bodyText(t, requestOf(msgs))), " ")
		g.eachTurn(t, msgs, func(body []byte, proof string) {
			for _, narrative := range narratives(t, body) {
				if !strings.Contains(proof, "verdict=unprobed") ||
					strings.Contains(proof, "model=") {
					t.Errorf("%s: reported as %q, want it unprobed and without a score",
						name, proof)
				}
				narrative = strings.TrimPrefix(narrative, "- ")
				for statement := range strings.SplitSeq(narrative, "\n- ") {
					m := stated.FindStringSubmatch(statement)
					if m == nil {
						t.Errorf("%s: a statement without its quote: %s", name, statement)
						continue
					}
					shown++
					quote, _, _ := strings.Cut(m[2], "…")
					if quote = strings.TrimSpace(quote); !strings.Contains(texts,
						strings.Join(strings.Fields(quote), " ")) {
						t.Errorf("%s: an invented quote: %s", name, statement)
					}
					if m[1] != m[2] {
						contradicting++
					}
				}
			}
		})
	}
	if shown == 0 || contradicting == 0 && !testing.Short() { // of the first two none is kept
		t.Errorf("%d statements, %d in other words than their quotes: the test sees nothing",
			shown, contradicting)
	}
}

// Answers that are all wrong, or all UNKNOWN, fail hard every time: nothing of what
// was written is used, nothing is reported as a pass, and later statements carry nothing
// of it. Each probe is counted once, however many requests follow.
func TestWrongAnswersOverHTTP(t *testing.T) {
	for _, kind := range []fakeupstream.Kind{fakeupstream.Wrong, fakeupstream.Unknowing} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			g := newWritingGateway(t,
				fakeupstream.Config{Scripted: &fakeupstream.Scripted{Prober: kind}}, folding)
			g.eachTurn(t, billing(36), func(body []byte, proof string) {
				if len(narratives(t, body)) > 0 || strings.Contains(proof, "verdict") {
					t.Errorf("used, and reported as %q", proof)
				}
			})
			hard := g.metric(t, `killick_model_summary_probes_total{verdict="hard_fail"}`)
			// for lack of questions
			unasked := g.metric(t, `killick_model_summary_probes_total{verdict="error"}`)
			all := g.metric(t, `killick_model_summary_probes_total{`)
			rejected := g.metric(t,
				`killick_model_summaries_total{form="structured",outcome="rejected_probe"}`)
			if hard == 0 || hard+unasked != all || hard != rejected {
				t.Errorf("%v hard fails of %v probes, %v without questions, %v summaries rejected",
					hard, all, unasked, rejected)
			}
		})
	}
}

// switched is an upstream whose scripted model a test changes between turns.
func switched(t testing.TB, first fakeupstream.Scripted) (fakeupstream.Config,
	func(fakeupstream.Scripted)) {
	t.Helper()
	var now atomic.Pointer[fakeupstream.Scripted]
	now.Store(&first)
	return fakeupstream.Config{Reply: func(req *view.Request) fakeupstream.Reply {
		if reply, ok := now.Load().Reply(req); ok {
			return reply
		}
		return fakeupstream.Reply{Content: "I go on."}
	}}, func(next fakeupstream.Scripted) { now.Store(&next) }
}

// Statements that an earlier fold proved are carried with their verdict, and reported to
// be carried, while answers from new ones are all wrong: these are not used.
func TestWrongAnswersBesideCarriedStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	script, set := switched(t, fakeupstream.Scripted{})
	g := newWritingGateway(t, script, folding)
	var first string
	before, carried := 0.0, 0
	g.eachTurn(t, billing(70), func(body []byte, proof string) {
		written := narratives(t, body)
		switch {
		case first == "" && len(written) > 0:
			first = written[0]
			before = g.metric(t, `killick_model_summary_probes_total{verdict="pass"}`)
			set(fakeupstream.Scripted{Prober: fakeupstream.Wrong})
			if !strings.Contains(proof, "verdict=pass; ") || strings.Contains(proof, "carried") {
				t.Errorf("the first is reported as %q", proof)
			}
		case first != "":
			for _, narrative := range written {
				for line := range strings.Lines(narrative) {
					if !strings.Contains(first, strings.TrimSpace(line)) {
						t.Errorf("new beside a wrong answer: %s", line)
					}
				}
			}
			if strings.Contains(proof, "carried") {
				carried++
			}
		}
	})
	if hard := g.metric(t, `killick_model_summary_probes_total{verdict="hard_fail"}`); hard == 0 ||
		carried == 0 {
		t.Errorf("%v hard fails, %d turns with carried statements", hard, carried)
	}
	if after := g.metric(t, `killick_model_summary_probes_total{verdict="pass"}`); after != before {
		t.Errorf("%v probes passed, %v of them before", after, before)
	}
}

// A verifier or a prober that fails, hangs or talks nonsense leaves the record by
// structure, and is counted. With probe.on_error accept what was verified is used
// without a probe, and reported as such; what was not verified is used never.
func TestFailingVerifiersAndProbers(t *testing.T) {
	for _, kind := range []fakeupstream.Kind{fakeupstream.Failing, fakeupstream.Slow,
		fakeupstream.Malformed, fakeupstream.Refusing, fakeupstream.Wordy,
		fakeupstream.Acknowledging} {
		for _, c := range []struct {
			who, onError, outcome string
			script                fakeupstream.Scripted
		}{
			{"verifier", config.OnErrorReject, "rejected_unverified",
				fakeupstream.Scripted{Verifier: kind}},
			{"verifier", config.OnErrorAccept, "rejected_unverified",
				fakeupstream.Scripted{Verifier: kind}},
			{"prober", config.OnErrorReject, "rejected_unprobed",
				fakeupstream.Scripted{Prober: kind}},
			{"prober", config.OnErrorAccept, "prepared", fakeupstream.Scripted{Prober: kind}},
		} {
			t.Run(string(kind)+" "+c.who+" "+c.onError, func(t *testing.T) {
				t.Parallel()
				if testing.Short() && kind != fakeupstream.Failing {
					t.Skip("trimmed in short runs")
				}
				g := newWritingGateway(t, fakeupstream.Config{Scripted: &c.script},
					func(cfg *config.Config) {
						folding(cfg)
						cfg.Probe.OnError = c.onError
						if kind == fakeupstream.Slow {
							cfg.Model.Timeout, cfg.Probe.Timeout = 200*time.Millisecond,
								200*time.Millisecond
						}
					})
				used, folded := 0, 0
				g.eachTurn(t, billing(30), func(body []byte, proof string) {
					written := len(narratives(t, body))
					used += written
					if proof != "" {
						folded++
					}
					if written > 0 && !strings.Contains(proof, "verdict=unprobed; ") ||
						written == 0 && strings.Contains(proof, "verdict") ||
						strings.Contains(proof, "model=") {
						t.Errorf("%d narratives are reported as %q", written, proof)
					}
				})
				if (used > 0) != (c.outcome == "prepared") || folded == 0 {
					t.Errorf("%d turns with a record, %d narratives in them", folded, used)
				}
				if n := g.metric(t, `killick_model_summaries_total{form="structured",outcome="`+
					c.outcome+`"}`); n == 0 ||
					n != g.metric(t, `killick_model_summaries_total{form="structured"`) {
					t.Errorf("%v of %v came to %s", n,
						g.metric(t, `killick_model_summaries_total{`), c.outcome)
				}
				if n := g.metric(t, `killick_model_summary_probes_total{`); n !=
					g.metric(t, `killick_model_summary_probes_total{verdict="error"}`) ||
					(n > 0) != (c.who == "prober") {
					t.Errorf("%v probes are counted", n)
				}
			})
		}
	}
}
