package compactor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"killick/compactor/plan"
	"killick/compactor/settings"
)

// The forwarded prefix changes at compactions and only there, and compactions
// are rare: that is what keeps the provider's prompt cache.
func TestPrefixIsStableBetweenCompactions(t *testing.T) {
	for seed := range randomSeeds(4) {
		msgs := session(seed, 80)
		e := New(
			Options{
				Policy:  settings.Policy{Trigger: 16000, Target: 8000},
				Counter: byBytes,
				Store:   newMemStore(),
			},
		)
		var last []byte
		requests, changes := 0, 0
		turns(t, msgs, func(n int) {
			res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
			_, sent, _ := bytes.Cut(res.Body, []byte(`"messages": [`))
			sent, _, _ = bytes.Cut(sent, []byte(`], "temperature"`))
			requests++
			if !bytes.HasPrefix(sent, last) {
				changes++
				if !slices.Contains(res.Made, plan.Mask) && !slices.Contains(res.Made, plan.Fold) &&
					n > 3 {
					t.Errorf(
						"seed %d, turn %d: the prefix changed though nothing was made",
						seed,
						n,
					)
				}
			}
			last = sent
		})
		if changes*4 > requests {
			t.Errorf("seed %d: %d of %d requests changed the prefix", seed, changes, requests)
		}
	}
}

func TestEmptyStoreGivesTheSameBytes(t *testing.T) {
	for name, policy := range policies() {
		if testing.Short() && name != "small" {
			continue
		}
		for seed := range randomSeeds(2) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				msgs := session(seed, 30)
				fresh := func() *Engine {
					return New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
				}
				warm := fresh()
				turns(t, msgs, func(n int) {
					in := body(msgs[:n])
					turnByTurn := warm.Compact(t.Context(), parse(t, in), "ann")
					again := warm.Compact(t.Context(), parse(t, in), "ann")
					afresh := fresh().Compact(t.Context(), parse(t, in), "ann")
					if !bytes.Equal(turnByTurn.Body, again.Body) {
						t.Errorf("turn %d: sent twice, it differs", n)
					}
					if !bytes.Equal(turnByTurn.Body, afresh.Body) {
						t.Errorf("turn %d: an empty store gives other bytes", n)
					}
				})
			})
		}
	}
}

func TestStoreFaultsCostNoRequest(t *testing.T) {
	msgs := session(3, 60)
	in := body(msgs)
	want := newEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
	store := newMemStore()
	store.failing = errors.New("disk full")
	got := newEngine(store).Compact(t.Context(), parse(t, in), "ann")
	if !bytes.Equal(got.Body, want.Body) {
		t.Error("a failing store changed what is forwarded")
	}
	var reasons []string
	for _, f := range got.FailOpens {
		reasons = append(reasons, f.Reason)
	}
	if !slices.Contains(reasons, "store_read") || !slices.Contains(reasons, "store_write") {
		t.Errorf("fail-opens %q", reasons)
	}
}

func TestDamagedCheckpointsAreMadeAgain(t *testing.T) {
	msgs := session(3, 60)
	in := body(msgs)
	want := newEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
	for _, value := range []string{"", "{", "null", `{"v":99}`, `{"v":1,` +
		`"covers":1000000}`, `{"v":1,"covers":2,"fold":2}`, `{"v":1,"masks":[{"i":-1}]}`} {
		store := newMemStore()
		newEngine(store).Compact(t.Context(), parse(t, in), "ann")
		for key := range store.values {
			store.values[key] = []byte(value)
		}
		got := newEngine(store).Compact(t.Context(), parse(t, in), "ann")
		if !bytes.Equal(got.Body, want.Body) {
			t.Errorf("%q in the store changed what is forwarded", value)
		}
	}
}

func TestManyAtOnceSendTheSameBytes(t *testing.T) {
	e := newEngine(newMemStore())
	in := body(session(6, 60))
	bodies := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() { bodies[i] = e.Compact(context.Background(), parse(t, in), "ann").Body })
	}
	wg.Wait()
	for i := range bodies {
		if !bytes.Equal(bodies[i], bodies[0]) {
			t.Errorf("request %d got other bytes", i)
		}
	}
}

// A turn that comes again, by a retry or after a restart, reads as it did when it came first,
// whatever has been made of the turns after it since.
func TestTurnsSentAgainReadAsTheyDid(t *testing.T) {
	for name, policy := range policies() {
		if testing.Short() && name != "small" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			msgs := session(3, 60)
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			first := map[int][]byte{}
			turns(
				t,
				msgs,
				func(n int) {
					first[n] = e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann").Body
				},
			)
			turns(t, msgs, func(n int) {
				res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
				if !bytes.Equal(res.Body, first[n]) {
					t.Errorf(
						"%d messages: %d bytes at first, %d later",
						n,
						len(first[n]),
						len(res.Body),
					)
				}
			})
		})
	}
}
