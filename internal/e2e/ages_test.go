package e2e

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"killick/cache"
	"killick/compaction"
	"killick/internal/config"
	"killick/internal/wire"
	"killick/proxy"
	"killick/proxy/stored"
	"killick/tokenizer"
)

// keptFor is how long an entry that nobody uses is kept in these tests.
const keptFor = 10 * time.Hour

// agedEngine is an engine whose store has a clock that the test sets, and one request.
type agedEngine struct {
	wire.Engine
	now  time.Time
	body []byte
}

func newAgedEngine(t *testing.T, set func(*config.Config), body []byte) *agedEngine {
	t.Helper()
	c := balanced()
	set(&c)
	a := &agedEngine{now: time.Now(), body: body}
	secret := cache.NewSecret()
	store, err := cache.Open(cache.Options{InMemory: true, Secret: secret, TTL: keptFor,
		Clock: func() time.Time { return a.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	a.Engine = wire.NewEngine(&c, wire.Parts{
		Store: store, Secret: secret, Counter: tokenizer.New(tokenizer.Options{}),
	})
	return a
}

func (a *agedEngine) compact(t *testing.T) compaction.Outcome {
	t.Helper()
	return a.Compact(t.Context(), proxy.Request{Chat: mustParse(t, a.body), Who: "who"})
}

// use sends the request again and again, over a time that is longer than an unused entry is kept,
// and fails where its form changes.
func (a *agedEngine) use(t *testing.T, first compaction.Outcome) {
	t.Helper()
	for range 5 {
		a.now = a.now.Add(keptFor * 6 / 10)
		again := a.compact(t)
		if !bytes.Equal(again.Body, first.Body) || again.SummaryRef != first.SummaryRef ||
			len(again.Made) > 0 {
			t.Fatalf("the form is another one: %v", again.Made)
		}
	}
}

// The outputs that a form hides are kept for as long as the form is used, however long ago they
// were hidden.
func TestOutputsLiveAsLongAsTheirForm(t *testing.T) {
	a := newAgedEngine(t, between(3000, 2000), sessionBody("anybody", 10))
	first := a.compact(t)
	refs := anyRef.FindAllSubmatch(first.Body, -1)
	if len(refs) == 0 {
		t.Fatalf("nothing was hidden: %v", first.Actions())
	}
	a.use(t, first)
	for _, ref := range refs {
		if _, err := a.Originals().Original(t.Context(), "who", string(ref[1])); err != nil {
			t.Errorf("%s: %v", ref[1], err)
		}
	}
	a.now = a.now.Add(keptFor + time.Hour)
	_, err := a.Originals().Original(t.Context(), "who", string(refs[0][1]))
	if !errors.Is(err, stored.ErrNoOriginal) {
		t.Errorf("unused for too long: got %v, want %v", err, stored.ErrNoOriginal)
	}
}

// A summary can be seen for as long as its form is used, however long ago it was made.
func TestSummariesLiveAsLongAsTheirForm(t *testing.T) {
	a := newAgedEngine(t, foldBetween(6000, 4000), sessionBody("anybody", 16))
	first := a.compact(t)
	a.use(t, first)
	if _, err := a.Originals().Summary(t.Context(), "who", first.SummaryRef, false); err != nil {
		t.Error(err)
	}
	a.now = a.now.Add(keptFor + time.Hour)
	_, err := a.Originals().Summary(t.Context(), "who", first.SummaryRef, false)
	if !errors.Is(err, stored.ErrNoOriginal) {
		t.Errorf("unused for too long: got %v, want %v", err, stored.ErrNoOriginal)
	}
}
