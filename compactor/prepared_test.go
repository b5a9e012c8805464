package compactor

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
	"killick/compactor/plan"
	"killick/compactor/prepare"
	"killick/compactor/settings"
	"killick/reference"
)

func TestWhatIsPreparedIsFound(t *testing.T) {
	for seed := range uint64(2) {
		b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
		msgs := session(seed, 60)
		var made []string
		turns(t, msgs, func(n int) {
			res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(faithful()))
			made = append(made, res.Made...)
			if slices.Contains(res.Made, plan.FoldWithModel) {
				records := strings.Join(recordsIn(parse(t, res.Body)), "\n")
				for _, s := range b.heard[len(b.heard)-1].Kept {
					if !strings.Contains(records, s.Text) {
						t.Errorf("the records lack what was written: %s", s.Text)
					}
				}
				if p := res.Probe.Model; p == nil || p.Verdict != compaction.Pass || p.Score != 1 ||
					p.Asked == 0 ||
					p.Carried {
					t.Errorf("the probe of the model's part is %+v", p)
				}
			}
			if res.After != nil {
				res.After(true)
				b.settle(t)
			}
		})
		if !slices.Contains(made, plan.FoldWithModel) {
			t.Errorf(
				"conversation %d: nothing that was prepared was used: %v, %v",
				seed,
				tallied(made),
				tallied(b.outcomes()),
			)
		}
		if slices.Contains(made, plan.Fold) {
			t.Errorf(
				"conversation %d: something was made by rules while a model was ready: %v, %v",
				seed,
				tallied(made),
				tallied(b.outcomes()),
			)
		}
	}
}

// Whoever writes, the same turns are folded at the same point, what the rules'
// record names is named, and where the window has no room for more, theirs is sent.
func TestModelStatementsChangeNoDecision(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	for seed := range randomSeeds(3) {
		msgs := session(seed, 110)
		rules := New(Options{Policy: writingPolicy, Counter: byBytes, Store: newMemStore()})
		b := newBench(t, writingPolicy, prepare.Options{})
		told, narrowed := 0, 0
		turns(t, msgs, func(n int) {
			in := body(msgs[:n])
			want := rules.Compact(t.Context(), parse(t, in), "ann")
			got := b.CompactFor(t.Context(), parse(t, in), "ann", by(faithful()))
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
				t.Fatalf(
					"conversation %d, turn %d: %d messages and %d tokens, made %v; by rules %d "+
						"and %d, made %v",
					seed,
					n,
					len(with),
					got.Sent,
					got.Made,
					len(plain),
					want.Sent,
					want.Made,
				)
			}
			names := map[string]bool{}
			for i := range with {
				reference.Each(
					with[i].Text(),
					func(word string, _ reference.Kind) { names[word] = true },
				)
			}
			for i := range plain {
				reference.Each(plain[i].Text(), func(word string, _ reference.Kind) {
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
			narrow.Windows = map[string]settings.Window{
				"*": {Tokens: want.Sent + steady + 1, Reserve: 1},
			}
			store := newMemStore()
			store.values = maps.Clone(b.store.(*memStore).values)
			e := New(
				Options{Policy: narrow, Counter: byBytes, Store: store, Prepared: newMemStore()},
			)
			res := e.Compact(t.Context(), parse(t, in), "ann")
			if !bytes.Equal(res.Body, want.Body) || res.Sent != want.Sent {
				t.Errorf(
					"conversation %d, turn %d, in a window of %d tokens: %d were sent, made %v, "+
						"want the %d by rules",
					seed,
					n,
					want.Sent+steady,
					res.Sent,
					res.Made,
					want.Sent,
				)
			}
		})
		if told == 0 || narrowed == 0 {
			t.Errorf(
				"conversation %d: a model told something in %d turns, %d of them in a narrow "+
					"window",
				seed,
				told,
				narrowed,
			)
		}
	}
}

// What was prepared and cannot be used at the fold leaves the rules' record.
func TestPreparedInVain(t *testing.T) {
	stored := func(value string) func(*bench) {
		return func(b *bench) {
			for key := range b.writing.Store.(*memStore).values {
				b.writing.Store.(*memStore).values[key] = []byte(value)
			}
		}
	}
	for name, spoil := range map[string]func(*bench){
		"it is no JSON":     stored(`{"v":3,`),
		"it is older":       stored(`{"v":2,"account":{"state":"x\n## y"}}`),
		"it says nothing":   stored(`{"v":3,"statements":[],"probe":{}}`),
		"it was not proven": stored(`{"v":3,"statements":[{"section":"state","text":"x"}]}`),
		"it is of other " +
			"turns": stored(`{"v":3,"covers":1,"statements":[{"section":"state","text":"x"}],` +
			`"probe":{}}`),
		"the store " +
			"fails": func(b *bench) { b.writing.Store.(*memStore).failing = errors.New("no disk") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, writingPolicy, prepare.Options{})
			msgs := session(1, 60)
			var opened []string
			made := plan.Stay
			turns(t, msgs, func(n int) {
				if made == plan.Fold {
					return
				}
				res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(faithful()))
				for _, f := range res.FailOpens {
					opened = append(opened, f.Reason)
				}
				if len(res.Made) > 0 {
					made = res.Made[0]
				}
				if res.After != nil {
					res.After(true)
					b.settle(t)
					spoil(b)
				}
			})
			if made != plan.Fold || !slices.Contains(opened, "prepared_read") {
				t.Errorf(
					"made %s, failed open %v; want it by rules, and prepared_read",
					made,
					opened,
				)
			}
		})
	}
}

// What is prepared stays apart until the form in use no longer fits.
func TestWhatIsPreparedStaysApart(t *testing.T) {
	msgs := session(1, 60)
	plain := New(Options{Policy: writingPolicy, Counter: byBytes, Store: newMemStore()})
	with := newBench(t, writingPolicy, prepare.Options{})
	compacted := false
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		want := plain.Compact(t.Context(), parse(t, in), "ann")
		got := with.CompactFor(t.Context(), parse(t, in), "ann", by(faithful()))
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

// What an earlier fold proved keeps its verdict, and is reported as carried.
func TestCarriedStatementsKeepTheirVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
	msgs := session(2, 150)
	var first *compaction.ModelProbe
	carried := false
	turns(t, msgs, func(n int) {
		author := prepare.Author(faithful())
		if first != nil {
			author = nil
		}
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(author))
		if res.After != nil {
			res.After(true)
			b.settle(t)
		}
		if first == nil && slices.Contains(res.Made, plan.FoldWithModel) {
			first = res.Probe.Model
		} else if slices.Contains(res.Made, plan.Fold) && first != nil {
			want := *first
			want.Carried = true
			if carried = true; res.Probe.Model == nil || *res.Probe.Model != want {
				t.Errorf("turn %d: %+v is reported, want %+v", n, res.Probe.Model, want)
			}
		}
	})
	if !carried {
		t.Error("nothing was carried")
	}
}
