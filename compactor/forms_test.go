package compactor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"killick/compactor/checkpoint"
)

// TestFormsAreSharedAndNotWritten: many requests of one conversation, at turns
// between which its form changes, at once and through one engine, forward what
// engines of their own forward, and what they share stays as it was stored.
func TestFormsAreSharedAndNotWritten(t *testing.T) {
	msgs := session(3, 60)
	var bodies, want [][]byte
	store := newMemStore()
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		bodies = append(bodies, in)
		want = append(want, newEngine(store).Compact(t.Context(), parse(t, in), "ann").Body)
	})
	e := newEngine(store)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range bodies {
				i := (i + worker) % len(bodies)
				if got := e.Compact(context.Background(), parse(t, bodies[i]), "ann").Body; !bytes.Equal(got, want[i]) {
					t.Errorf("turn %d: other bytes than without what is shared", i)
				}
			}
		})
	}
	wg.Wait()
	if len(e.forms.known) == 0 {
		t.Fatal("no form was kept")
	}
	for _, kept := range e.forms.known {
		var stored checkpoint.Checkpoint
		if err := json.Unmarshal(kept.value, &stored); err != nil {
			t.Fatal(err)
		}
		was, _ := stored.Encode()
		if is, _ := kept.cp.Encode(); !bytes.Equal(is, was) {
			t.Errorf("a form that is shared was written to: %s, was %s", is, was)
		}
	}
	e.Forget()
	if len(e.forms.known) != 0 || e.forms.held != 0 {
		t.Error("forms are kept that were to be forgotten")
	}
}

func TestFormsAreTheirBytes(t *testing.T) {
	var f formCache
	value := func(at int) []byte { return fmt.Appendf(nil, `{"v":%d,"at":%d}`, checkpoint.Version, at) }
	get := func(name string, value []byte) *checkpoint.Checkpoint {
		t.Helper()
		cp, err := f.decode(name, value, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		return cp
	}
	first := get("a", value(1))
	if get("a", value(1)) != first {
		t.Error("the same bytes were decoded twice")
	}
	if other := get("a", value(2)); other == first || other.At != 2 {
		t.Errorf("other bytes gave the form of length %d, want 2", other.At)
	}
	if get("b", value(2)) == get("a", value(2)) {
		t.Error("two prefixes share a form")
	}
	if _, err := f.decode("c", []byte(`{`), 0, nil); err == nil || len(f.known) != 2 {
		t.Errorf("what cannot be read: %v, %d forms kept, want 2", err, len(f.known))
	}
}

func TestFormsAreBounded(t *testing.T) {
	var f formCache
	large := bytes.Repeat([]byte(" "), mostForms/4)
	for i := range 8 {
		value := fmt.Appendf(large, `{"v":%d,"at":%d}`, checkpoint.Version, i)
		if _, err := f.decode(fmt.Sprint(i), value, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	sum := 0
	for _, one := range f.known {
		sum += len(one.value)
	}
	if sum != f.held || sum > mostForms || len(f.known) != 3 {
		t.Errorf("%d forms of %d bytes kept, accounted as %d; want 3 within %d", len(f.known), sum, f.held, mostForms)
	}
	if _, err := f.decode("huge", fmt.Appendf(bytes.Repeat(large, 4), `{"v":%d}`, checkpoint.Version), 0, nil); err != nil || f.held > mostForms {
		t.Errorf("a form larger than the bound: %v, %d bytes kept", err, f.held)
	}
}
