package compactor

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/report"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// What a form hides is kept as long as the form: when its time to live begins again, all that it
// and the forms before it ever hid is stored again, with the lists that records name, even what had
// expired.
func TestWhatIsHiddenIsKeptAsLongAsItsForm(t *testing.T) {
	for name, policy := range policies() {
		if testing.Short() && name != "small" {
			continue // the race detector finds nothing else in these
		}
		policy.MaxTaskTokens = 12
		for seed := range randomSeeds(2) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				store := newMemStore()
				e := New(Options{Policy: policy, Counter: byBytes, Store: store})
				var parser view.Parser
				parse := func(t *testing.T, body []byte) *view.Request {
					t.Helper()
					req, err := parser.Parse(chat.Format, "ann", body)
					if err != nil {
						t.Fatal(err)
					}
					return req
				}
				msgs := session(seed, 40)
				turns(
					t,
					msgs,
					func(n int) { e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann") },
				)
				kept := maps.Clone(store.originals)
				maps.DeleteFunc(kept, func(_ string, content []byte) bool {
					_, points := report.PointsTo(content)
					return points // to earlier forms: these are not reported
				})
				if len(kept) < 10 {
					t.Fatalf("%d originals were kept, want many", len(kept))
				}
				clear(store.originals)
				if e.Compact(t.Context(), parse(t, body(msgs)), "ann"); len(store.originals) != 0 {
					t.Errorf(
						"%d were stored again for a form that is not due",
						len(store.originals),
					)
				}
				store.renewing = true
				res := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
				if _, points := report.PointsTo(store.originals[res.SummaryRef]); !points {
					t.Error("the report of the form in use is lost")
				}
				lost := 0
				for ref, content := range kept {
					if !bytes.Equal(store.originals[ref], content) {
						if lost++; lost < 4 {
							t.Errorf("%s is lost: %.150q", ref, content)
						}
					}
				}
				if lost > 0 {
					t.Errorf("%d of %d are lost", lost, len(kept))
				}
			})
		}
	}
}

// So is what was cut of a message of a person that was among the newest when it was folded.
func TestWhatWasCutIsKeptAsLongAsItsForm(t *testing.T) {
	policy := small
	policy.Windows = map[string]settings.Window{"gpt-5.1": {Tokens: 2500, Reserve: 100}}
	policy.MinMaskTokens = 2000 // the list of what a fold hides does not have the message
	store := newMemStore()
	e := New(Options{Policy: policy, Counter: byBytes, Store: store})
	long := strings.Repeat("The crust must be thin and crisp. ", 130)
	var msgs []string
	for n := range 45 {
		words := fmt.Sprintf("Bake loaf %d.", n)
		if n == 4 {
			words = long
		}
		msgs = append(msgs, chattest.Says(view.User, words),
			chattest.Says(view.Assistant, strings.Repeat("It is in the oven. ", 20)))
	}
	ref, found := "", false
	for n := 1; n < len(msgs); n += 2 {
		in := body(msgs[:n])
		e.Compact(t.Context(), parse(t, in), "ann")
		for ref = range store.originals {
			if found = string(store.originals[ref]) == long; found {
				break
			}
		}
		if !found {
			continue
		}
		clear(store.originals)
		store.renewing = true
		out := e.Compact(t.Context(), parse(t, in), "ann").Body
		_, kept := store.originals[ref]
		if shown := bytes.Contains(out, []byte("ref="+ref)); shown && !kept {
			t.Fatalf("of %d messages, %s is shown and lost", n, ref)
		}
		store.renewing = false
		store.originals[ref] = []byte(long)
	}
	if !found {
		t.Error("nothing was cut")
	}
}
