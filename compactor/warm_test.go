package compactor

import (
	"testing"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/layout"
	"killick/view"
)

// warm sets up an engine whose counter takes samples, and returns a request between the idle
// threshold (1,750 tokens) and the trigger (2,000), how often samples were asked for, and the
// clock.
func warm(t *testing.T) (e *Engine, in []byte, asked *int, at *clock) {
	t.Helper()
	policy := small
	policy.IdleAfter = time.Hour
	asked, at = new(int), &clock{now: time.Unix(1_700_000_000, 0)}
	for seed := range uint64(50) {
		msgs := session(seed, 20)
		turns(t, msgs, func(n int) {
			b := body(msgs[:n])
			size := layout.New(parse(t, b), byBytes("m", "")).Total()
			if in == nil && len(b)/4 < 2000 && size > 1700 {
				in = b
			}
		})
	}
	if in == nil {
		t.Fatal("no turn of the conversations lies between the mark and the trigger")
	}
	e = New(Options{Policy: policy, Store: newMemStore(), Now: at.read,
		Counter: func(string, string) layout.Counter { return sampler{asked: asked} }})
	return e, in, asked, at
}

// A conversation between the idle threshold and the trigger is not counted while its provider has
// it cached and it has no form.
func TestAWarmConversationIsSampled(t *testing.T) {
	e, in, asked, at := warm(t)
	for range 3 {
		*asked = 0
		out := e.Compact(t.Context(), parse(t, in), "ann")
		if out.Raw != 0 || *asked != 1 || out.Reason != compaction.ReasonFits ||
			&out.Body[0] != &in[0] {
			t.Fatalf("%s, %d tokens counted, %d samples", out.Reason, out.Raw, *asked)
		}
		if want := small.Target.Tokens(0); out.ColdTokens != want {
			t.Errorf("%d tokens once the cache has expired, want %d", out.ColdTokens, want)
		}
		at.now = at.now.Add(59 * time.Minute)
	}
	at.now = at.now.Add(time.Hour)
	*asked = 0
	out := e.Compact(t.Context(), parse(t, in), "ann")
	if out.Raw == 0 || !out.Masked && !out.Folded || *asked != 0 {
		t.Fatalf("once its provider's cache has expired: %s, %d tokens, %d samples",
			out.Reason, out.Raw, *asked)
	}
	checkForm(t, in, out.Body)
	*asked = 0
	if again := e.Compact(t.Context(), parse(t, in), "ann"); !again.Reused || *asked != 0 {
		t.Errorf("the form that it has is not sent again: %s, %d samples", again.Reason, *asked)
	}
}

// What was counted before is not sampled: that would cost more.
func TestWhatIsCountedIsNotSampled(t *testing.T) {
	e, in, asked, _ := warm(t)
	var parser view.Parser
	read := func() *view.Request {
		req, err := parser.Parse(chat.Format, "ann", in)
		if err != nil {
			t.Fatal(err)
		}
		return req
	}
	layout.New(read(), sampler{asked: asked})
	if out := e.Compact(t.Context(), read(), "ann"); out.Raw == 0 || *asked != 0 {
		t.Errorf("%d tokens counted, %d samples", out.Raw, *asked)
	}
}

// A form that the store renews keeps what it hides, also where the size of the request was
// inspected before.
func TestAWarmLookKeepsARenewal(t *testing.T) {
	e, in, _, at := warm(t)
	e.Compact(t.Context(), parse(t, in), "ann")
	at.now = at.now.Add(2 * time.Hour)
	if out := e.Compact(t.Context(), parse(t, in), "ann"); !out.Masked && !out.Folded {
		t.Fatalf("no form was made: %s", out.Reason)
	}
	store := e.store.(*memStore)
	hidden := len(store.originals)
	clear(store.originals)
	store.renewing = true
	if e.Compact(t.Context(), parse(t, in), "ann"); hidden == 0 || len(store.originals) != hidden {
		t.Errorf("%d originals are kept again, want %d", len(store.originals), hidden)
	}
}
