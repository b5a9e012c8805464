package compactor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"killick/chat"
)

func TestWhatIsPreparedIsFound(t *testing.T) {
	for seed := range uint64(2) {
		b := newBench(t, writingPolicy, Writing{})
		made := b.replay(t, conversation(seed, 60), faithful())
		if !slices.Contains(made, MadeWritten) {
			t.Errorf("conversation %d: nothing that was prepared was used: %v, %v", seed, tallied(made), tallied(b.outcomes()))
		}
		if slices.Contains(made, MadeSummary) {
			t.Errorf("conversation %d: something was made by rules while a model was ready: %v, %v", seed, tallied(made), tallied(b.outcomes()))
		}
		for _, p := range b.heard {
			if p.Outcome == PreparedSummary && !strings.Contains(p.Record, "The login is to work again.") {
				t.Errorf("the record lacks what was written: %s", p.Record)
			}
		}
	}
}

// Whoever writes, the same turns are folded at the same point, what the rules'
// record names is named, and where the window has no room for more, theirs is sent.
func TestAccountsChangeNoDecision(t *testing.T) {
	author := &scribe{write: func(context.Context, []chat.Message) (Written, error) {
		w := Written{Form: "structured", Prose: Prose{State: "Handlers were read and edited, the tests run."}}
		for _, what := range strings.Fields("router login session cookie token header form page button mailer queue worker cache index table view") {
			w.Prose.Completed = append(w.Prose.Completed, "The "+what+" was looked at, and nothing that speaks against the plan was found in it")
		}
		return w, nil
	}}
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		msgs := conversation(seed, 110)
		rules, b := New(Options{Policy: writingPolicy, Counter: byBytes, Store: newMemStore()}), newBench(t, writingPolicy, Writing{})
		told, narrowed := 0, 0
		turns(t, msgs, func(n int) {
			in := body(msgs[:n])
			want, got := rules.Compact(t.Context(), parse(t, in), "ann"), b.CompactFor(t.Context(), parse(t, in), "ann", author)
			if got.After != nil {
				got.After(true)
				b.settle(t)
			}
			if bytes.Equal(want.Body, got.Body) {
				return
			}
			told++
			plain, with := parse(t, want.Body).Messages(), parse(t, got.Body).Messages()
			if len(plain) != len(with) || len(got.Made) != len(want.Made) || got.Sent < want.Sent {
				t.Fatalf("conversation %d, turn %d: %d messages and %d tokens, made %v; by rules %d and %d, made %v", seed, n, len(with), got.Sent, got.Made, len(plain), want.Sent, want.Made)
			}
			names := map[string]bool{}
			for i := range with {
				eachRef(with[i].Text(), func(word string, _ refKind) { names[word] = true })
			}
			for i := range plain {
				eachRef(plain[i].Text(), func(word string, _ refKind) {
					if !names[word] {
						t.Errorf("conversation %d, turn %d: %s is lost", seed, n, word)
					}
				})
			}
			const steady = 256 // what a decision may count more
			if got.Sent <= want.Sent+steady || len(got.Made) > 0 || told%8 > 0 {
				return
			}
			narrowed++
			narrow := writingPolicy
			narrow.Windows = map[string]Window{"*": {Tokens: want.Sent + steady + 1, Reserve: 1}}
			store := newMemStore()
			store.values = maps.Clone(b.store.(*memStore).values)
			e := New(Options{Policy: narrow, Counter: byBytes, Store: store, Prepared: newMemStore()})
			if res := e.Compact(t.Context(), parse(t, in), "ann"); !bytes.Equal(res.Body, want.Body) || res.Sent != want.Sent {
				t.Errorf("conversation %d, turn %d, in a window of %d tokens: %d were sent, made %v, want the %d by rules", seed, n, want.Sent+steady, res.Sent, res.Made, want.Sent)
			}
		})
		if told == 0 || narrowed == 0 {
			t.Errorf("conversation %d: a model told something in %d turns, %d of them in a narrow window", seed, told, narrowed)
		}
	}
}

// turning is strict from some moment on.
type turning struct {
	strict
	turned atomic.Bool
}

func (p *turning) Questions(msgs []chat.Message) func(string) (Probe, []string) {
	if p.turned.Load() {
		return p.strict.Questions(msgs)
	}
	return strict{"\x00"}.Questions(msgs)
}

// What was prepared and cannot be used at the fold leaves the rules' record.
func TestPreparedInVain(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(*bench, *turning)
	}{
		{"it is contradicted since", "prepared_refused", func(_ *bench, p *turning) { p.turned.Store(true) }},
		{"it cannot be read", "prepared_read", func(b *bench, _ *turning) {
			for key := range b.writing.store.(*memStore).values {
				b.writing.store.(*memStore).values[key] = []byte(`{"v":2,"account":{"state":"x\n## y"}}`)
			}
		}},
		{"the store fails", "prepared_read", func(b *bench, _ *turning) { b.writing.store.(*memStore).failing = errors.New("no disk") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, p := newBench(t, writingPolicy, Writing{}), &turning{strict: strict{"The login is to work again."}}
			b.prober = p
			var opened []string
			made := MadeNothing
			turns(t, conversation(1, 60), func(n int) {
				if made == MadeSummary {
					return
				}
				res := b.CompactFor(t.Context(), parse(t, body(conversation(1, 60)[:n])), "ann", faithful())
				for _, f := range res.FailOpens {
					opened = append(opened, f.Reason)
				}
				if len(res.Made) > 0 {
					made = res.Made[0]
				}
				if res.After != nil {
					res.After(true)
					b.settle(t)
					c.spoil(b, p)
				}
			})
			if made != MadeSummary || !slices.Contains(opened, c.want) {
				t.Errorf("made %s, failed open %v; want it by rules, and %s", made, opened, c.want)
			}
		})
	}
}

// What is prepared stays apart until the form in use no longer fits.
func TestWhatIsPreparedStaysApart(t *testing.T) {
	msgs := conversation(1, 60)
	plain, with := New(Options{Policy: writingPolicy, Counter: byBytes, Store: newMemStore()}), newBench(t, writingPolicy, Writing{})
	compacted := false
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		want := plain.Compact(t.Context(), parse(t, in), "ann")
		got := with.CompactFor(t.Context(), parse(t, in), "ann", faithful())
		if got.After != nil {
			got.After(true)
			with.settle(t)
		}
		if compacted = compacted || want.Folded; !compacted && !bytes.Equal(want.Body, got.Body) {
			t.Fatalf("turn %d changed before the trigger", n)
		}
	})
	if !compacted || len(with.heard) == 0 {
		t.Fatal("nothing was compacted or prepared")
	}
}

// The turns after a fold ask for what they used, and the record is given it.
func TestNextTurnsMendThePreparedRecord(t *testing.T) {
	const line = "the quorumThreshold is five of seven"
	policy := writingPolicy
	policy.IndexTokens = 0 // the index of names would tell it, without its line
	msgs := conversation(6, 60)
	msgs = slices.Concat(msgs[:1:1], []string{
		todoCall("z", "bash", `{"command":"dump"}`),
		`{"role":"tool","tool_call_id":"z","content":` + string(chat.AppendQuoted(nil, line+"\n"+strings.Repeat("nothing of note here\n", 700))) + `}`,
	}, msgs[1:])
	b := newBench(t, policy, Writing{})
	b.replay(t, msgs, faithful())
	at := slices.IndexFunc(b.heard, func(p Preparation) bool { return p.Outcome == PreparedSummary })
	if at < 0 {
		t.Fatal("nothing was prepared")
	}
	n := b.heard[at].WhenSent
	if lead := len(parse(t, body(msgs)).Messages()) - len(newView(parse(t, body(msgs)), byteCounter{}).msgs); lead > 0 {
		n += lead
	}
	msgs = slices.Concat(msgs[:n:n], []string{`{"role":"assistant","content":"Now quorumThreshold must be checked."}`, `{"role":"user","content":"Go on."}`}, msgs[n:])
	b = newBench(t, policy, Writing{})
	told := false
	turns(t, msgs, func(n int) {
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", faithful())
		told = told || res.Folded && bytes.Contains(res.Body, []byte(line))
		if res.After != nil {
			res.After(true)
			b.settle(t)
		}
	})
	if !told {
		t.Errorf("the line was not told: %v", tallied(b.outcomes()))
	}
}

// A request that fits its window never waits; one that would overflow it waits
// for the model, and not for long. Then the summary that failed is used.
func TestWaitingForTheWindow(t *testing.T) {
	policy := Policy{Trigger: 2000, Target: 1000, MinMaskTokens: 100000, Windows: map[string]Window{"*": {Tokens: 2600, Reserve: 100}}}
	msgs := []string{`{"role":"user","content":"Read all of it."}`}
	for i := range 8 {
		msgs = append(msgs, todoCall("a", "read", fmt.Sprintf(`{"path":"part%d.txt"}`, i)),
			`{"role":"tool","tool_call_id":"a","content":`+string(chat.AppendQuoted(nil, strings.Repeat("words ", 300)))+`}`)
	}
	for _, c := range []struct {
		name   string
		msgs   []string
		record string // what no record may tell
		waits  bool
	}{
		{"it fits the window", msgs[:9], "Current state", false},
		{"by rules it fits", msgs, "\x00", false},
		{"it would overflow", msgs, "Current state", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			slow := &scribe{write: func(ctx context.Context, _ []chat.Message) (Written, error) {
				<-ctx.Done()
				return Written{}, ctx.Err()
			}}
			b := newBench(t, policy, Writing{MaxWait: 50 * time.Millisecond})
			b.prober = strict{c.record}
			begin := time.Now()
			res := b.CompactFor(t.Context(), parse(t, body(c.msgs)), "ann", slow)
			timedOut := slices.ContainsFunc(res.FailOpens, func(f FailOpen) bool { return f.Reason == "wait_timeout" })
			if res.Waited != c.waits || timedOut != c.waits {
				t.Errorf("waited %t, %+v", res.Waited, res.FailOpens)
			}
			if c.waits && (!res.Folded || res.Probe.Verdict != HardFail || !slices.Contains(res.Made, MadeUnproven) || len(res.Plans) != 2) { // each decision told once
				t.Errorf("folded %t, probe %+v, %v", res.Folded, res.Probe, res.Plans)
			}
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if res.After != nil {
				res.After(false)
			}
			b.Close() // cancels what is under way
			if got := b.outcomes(); len(got) > 0 != c.waits || len(got) > 0 && got[0] != PreparedCancelled {
				t.Errorf("outcomes %v", got)
			}
		})
	}
	// Where the model is in time, what it wrote is sent.
	b := newBench(t, policy, Writing{MaxWait: time.Minute})
	b.prober = passes("All parts were read")
	quick := &scribe{write: func(context.Context, []chat.Message) (Written, error) {
		return Written{Prose: Prose{State: "All parts were read"}}, nil
	}}
	res := b.CompactFor(t.Context(), parse(t, body(msgs)), "ann", quick)
	if !res.Waited || !res.Folded || res.Sent > 2500 || !bytes.Contains(res.Body, []byte("All parts were read")) {
		t.Errorf("waited %t, folded %t, %d tokens, %v", res.Waited, res.Folded, res.Sent, b.outcomes())
	}
}

// What the turns since have made untrue is not told; the rest is.
func TestWhatIsUntrueByNowIsLeftOut(t *testing.T) {
	var mu sync.Mutex
	var spans []int
	b := newBench(t, writingPolicy, Writing{Contradictions: func(turns []chat.Message) func(string) bool {
		mu.Lock()
		defer mu.Unlock()
		spans = append(spans, len(turns))
		since := len(turns) < spans[0] // those behind what the model told of
		return func(entry string) bool { return since && strings.HasPrefix(entry, "Handlers were read") }
	}})
	msgs := conversation(1, 60)
	for n := 1; n <= len(msgs); n++ {
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", faithful())
		if slices.Contains(res.Made, MadeWritten) {
			if !bytes.Contains(res.Body, []byte("The login is to work again.")) || bytes.Contains(res.Body, []byte("Handlers were read")) || len(res.FailOpens) > 0 {
				t.Errorf("spans of %v messages, failed open %v: %s", spans, res.FailOpens, res.Body)
			}
			return
		}
		if res.After != nil {
			res.After(true)
			b.settle(t)
		}
	}
	t.Fatalf("nothing that was prepared was used: %v", tallied(b.outcomes()))
}
