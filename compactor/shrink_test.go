package compactor

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/settings"
	"killick/internal/viewtest"
	"killick/view"
)

// memWindows is a Windows in memory.
type memWindows struct {
	mu sync.Mutex
	of map[string]settings.Learned
}

func (w *memWindows) Learned(who, model string) settings.Learned {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of[who+"\x00"+model]
}

func (w *memWindows) Learn(who, model string, l settings.Learned) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of[who+"\x00"+model] = l
}

// A refused request becomes smaller in forms that hold, and later turns are
// compacted before they are refused.
func TestShrink(t *testing.T) {
	for seed := range uint64(3) {
		e := New(
			Options{
				Counter: byBytes,
				Store:   newMemStore(),
				Windows: &memWindows{of: map[string]settings.Learned{}},
			},
		)
		msgs := session(seed, 40)
		in := body(msgs)
		first := e.Compact(t.Context(), parse(t, in), "ann")
		if first.Reason != compaction.ReasonFits {
			t.Fatalf("the default policy compacts %d tokens", first.Raw)
		}
		window := first.Raw / 2
		got := e.Shrink(
			t.Context(),
			parse(t, in),
			"ann",
			compaction.Overflow{Window: window, Prompt: first.Raw, Sent: first.Sent, Try: 1},
		)
		checkForm(t, in, got.Body)
		if got.Sent > window || len(got.FailOpens) > 0 || got.Reason != compaction.ReasonOverflow {
			t.Errorf(
				"%d tokens for a window of %d, %s, %v",
				got.Sent,
				window,
				got.Reason,
				got.FailOpens,
			)
		}
		again := e.Compact(t.Context(), parse(t, in), "ann")
		if string(again.Body) != string(got.Body) || !again.Reused {
			t.Errorf("the next time other %d tokens are sent, reused %t", again.Sent, again.Reused)
		}
		other := e.Compact(t.Context(), parse(t, in), "bob")
		if other.Reason != compaction.ReasonFits {
			t.Errorf("another credential's request is changed: %s", other.Reason)
		}
		large := []byte(`{"model":"gpt-5.1","messages":["` + strings.Repeat("x", window) + `"]}`)
		if e.Fits(large, "", "ann") {
			t.Error("a request of the window's size is not checked")
		}
		if !e.Fits(large, "", "bob") {
			t.Error("what one credential has learned has another's request inspected")
		}
	}
}

func TestShrinkGivesUp(t *testing.T) {
	e := New(
		Options{
			Counter: byBytes,
			Store:   newMemStore(),
			Windows: &memWindows{of: map[string]settings.Learned{}},
		},
	)
	single := []byte(`{"model":"m","messages":[{"role":"user","content":"` +
		strings.Repeat("word ", 4000) + `"}]}`)
	for name, o := range map[string]compaction.Overflow{
		"nothing can go":      {Window: 8000, Prompt: 20_000, Try: 1},
		"no prompt would fit": {Window: 8000, Output: 8000, Try: 1},
	} {
		got := e.Shrink(t.Context(), parse(t, single), "ann", o)
		if string(got.Body) != string(single) || got.Sent != got.Raw {
			t.Errorf("%s: %d of %d tokens", name, got.Sent, got.Raw)
		}
	}
}

// What a refusal teaches of a window that the request set is about that request alone.
func TestWindowsOfRequestsAreNotLearned(t *testing.T) {
	windows := &memWindows{of: map[string]settings.Learned{"ann\x00m": {Window: 300}}}
	e := New(Options{Counter: byBytes, Store: newMemStore(), Windows: windows})
	request := func(window int) *view.Request {
		body := `{"model":"m","options":{"num_ctx":` + strconv.Itoa(window) +
			`},"messages":[{"role":"user","content":"` + strings.Repeat("x ", 5000) + `"}]}`
		return viewtest.Parse(t, chat.Ollama, body)
	}
	if got := e.jobFor(request(9000), "ann").budget.Window; got < 7000 || got > 9000 {
		t.Errorf("a window of 9,000 tokens leaves %d for the prompt", got)
	}
	e.Shrink(t.Context(), request(9000), "bob",
		compaction.Overflow{Window: 4000, Prompt: 5000, Sent: 5000, Try: 1})
	if got := windows.Learned("bob", "m"); got.Window != 0 {
		t.Errorf("learned %+v of a window that the request set", got)
	}
}
