package compactor

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/view"
)

// Many requests of one conversation, at turns between which its form changes, at once and
// through one engine, forward what engines of their own forward, and what they share stays
// as it was stored.
func TestFormsAreSharedAndNotWritten(t *testing.T) {
	msgs := session(3, 60)
	var bodies, want [][]byte
	store := newMemStore()
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		bodies = append(bodies, in)
		want = append(want, newEngine(store).Compact(t.Context(), parse(t, in), "ann").Body)
	})
	e, parser := newEngine(store), &view.Parser{}
	var wg sync.WaitGroup
	shared := make(chan storedForm, 4*len(bodies))
	for worker := range 4 {
		wg.Go(func() {
			for i := range bodies {
				i := (i + worker) % len(bodies)
				req, err := parser.Parse(chat.Format, "ann", bodies[i])
				if err != nil {
					t.Error(err)
					return
				}
				got := e.Compact(context.Background(), req, "ann").Body
				if !bytes.Equal(got, want[i]) {
					t.Errorf("turn %d: other bytes than without what is shared", i)
				}
				if kept, _ := req.Memory().Load(formKey{}); kept != nil {
					shared <- kept.(storedForm)
				}
			}
		})
	}
	wg.Wait()
	close(shared)
	n := 0
	for kept := range shared {
		n++
		was, err := checkpoint.Decode(
			kept.value,
			kept.cp.Covers,
			parse(t, bodies[len(bodies)-1]).Messages()[1:],
		)
		if err != nil {
			t.Fatal(err)
		}
		stored, _ := was.Encode()
		if is, _ := kept.cp.Encode(); !bytes.Equal(is, stored) {
			t.Errorf("a form that is shared was written to: %s, was %s", is, stored)
		}
	}
	if n == 0 {
		t.Fatal("no form was kept")
	}
}

// Memory of a conversation changes no byte of what is forwarded, however the conversation
// continues: turn by turn, sent again, cut back, with cache marks that move, with instructions that
// change.
func TestMemoryChangesNothing(t *testing.T) {
	sequential(t)
	cases := policies()
	cases["truncating"] = settings.Policy{Trigger: 20_000, Target: 8_000, TruncateOver: 600}
	for name, policy := range cases {
		for _, seed := range []uint64{3, 8} {
			msgs := session(seed, randomTurns(40))
			parser := &view.Parser{}
			with := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			without := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			send := func(in []byte) {
				t.Helper()
				req, err := parser.Parse(chat.Format, "ann", in)
				if err != nil {
					t.Fatal(err)
				}
				got := with.Compact(t.Context(), req, "ann")
				want := without.Compact(t.Context(), parse(t, in), "ann")
				if !bytes.Equal(got.Body, want.Body) || got.Raw != want.Raw ||
					got.Sent != want.Sent ||
					got.Refetched != want.Refetched {
					t.Fatalf("%s, seed %d: %d tokens become %d, without a memory %d become %d",
						name, seed, got.Raw, got.Sent, want.Raw, want.Sent)
				}
			}
			turn := 0
			turns(t, msgs, func(n int) {
				turn++
				now := append([]string(nil), msgs[:n]...)
				if turn%3 == 0 { // the clock in the instructions goes on
					now[0] = strings.Replace(
						now[0],
						`"content":"`,
						fmt.Sprintf(`"content":"It is %d. `, turn),
						1,
					)
				}
				if turn%4 == 1 { // the last message has a mark that the next turn's does not have
					now[n-1] = strings.TrimSuffix(now[n-1], "}") +
						`,"cache_control":{"type":"ephemeral"}}`
				}
				send(body(now))
				if turn%5 == 0 {
					send(body(now))
				}
				if turn%7 == 0 && n > 12 { // taken back, and said otherwise
					cut := append([]string(nil), msgs[:n-4]...)
					send(body(append(cut, `{"role":"user","content":"No, something else."}`)))
				}
			})
		}
	}
}
