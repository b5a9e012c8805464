package shared

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"killick/cache"
	"killick/internal/chattest"
	"killick/view"
)

// replica is one of several replicas that share a store.
type replica struct {
	*Store
	near   *cache.Store
	secret cache.Secret
}

// start starts a replica at a server.
func start(t *testing.T, server *miniredis.Miniredis, set ...func(*Options)) *replica {
	t.Helper()
	return startReceiving(t, server, nil, set...)
}

// startReceiving is start with a function that receives the events of others.
func startReceiving(
	t *testing.T, server *miniredis.Miniredis, received func(Event), set ...func(*Options),
) *replica {
	t.Helper()
	r := open(t, server, set...)
	r.Start(received)
	return r
}

// open returns a replica that is not started.
func open(t *testing.T, server *miniredis.Miniredis, set ...func(*Options)) *replica {
	t.Helper()
	o := Options{URL: "redis://" + server.Addr(), Timeout: time.Second,
		Logger: slog.New(slog.DiscardHandler)}
	for _, f := range set {
		f(&o)
	}
	client, err := Dial(o)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := client.Agree(t.Context(), Secret{})
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{secret: cache.SecretOf(text)}
	r.near, err = cache.Open(cache.Options{InMemory: true, Secret: r.secret})
	if err != nil {
		t.Fatal(err)
	}
	r.Store = client.Open(Config{Near: r.near, Secret: r.secret, TTL: time.Hour,
		Own: Secret{Text: text}})
	t.Cleanup(func() {
		_ = r.Store.Close()
		_ = r.near.Close()
	})
	return r
}

// talk returns a conversation of this many messages.
func talk(t *testing.T, n int, words string) (msgs []view.Message) {
	for i := range n {
		role := []view.Role{view.User, view.Assistant}[i%2]
		msgs = append(msgs, *chattest.Message(t, chattest.Says(role, fmt.Sprint(words, i))))
	}
	return msgs
}

func (r *replica) chain(who string, msgs []view.Message) []cache.Key {
	return r.secret.Chain(cache.Scope{Who: who, Upstream: "u", Policy: "p"}, msgs)
}

func (r *replica) conversation(who string, msgs []view.Message) *Conversation {
	return r.Conversation(who, r.chain(who, msgs))
}

// find returns the form that a request finds, and its index.
func (r *replica) find(t *testing.T, who string, msgs []view.Message) (string, int) {
	t.Helper()
	found, _, err := r.conversation(who, msgs).Find(t.Context(), len(msgs), nil)
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		return "", -1
	}
	return string(found.Value), found.Index
}

func (r *replica) put(
	t *testing.T,
	who string,
	msgs []view.Message,
	at, replaced int,
	value string,
) string {
	t.Helper()
	stands, err := r.conversation(who, msgs).Replace(t.Context(), at, replaced, []byte(value))
	if err != nil {
		t.Fatal(err)
	}
	return string(stands.Value)
}

// written waits until no writes are pending.
func (r *replica) written(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for r.queue.bytes.Load() > 0 && ctx.Err() == nil {
		r.flush(ctx)
	}
	r.flushing.Lock()
	defer r.flushing.Unlock()
}

func TestFormsAreShared(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	if a.secret != b.secret {
		t.Fatal("the replicas have different secrets")
	}
	msgs := talk(t, 20, "hello")
	if got, at := b.find(t, "ann", msgs[:8]); at != -1 {
		t.Fatalf("found %q at %d before anything was made", got, at)
	}
	if got := a.put(t, "ann", msgs[:10], 6, -1, "one"); got != "one" {
		t.Fatalf("%q stands, want what was put", got)
	}
	for _, r := range []*replica{a, b} {
		if got, at := r.find(t, "ann", msgs[:12]); got != "one" || at != 6 {
			t.Errorf("found %q at %d, want one at 6", got, at)
		}
	}
	if got := b.put(t, "ann", msgs[:14], 6, -1, "other"); got != "one" {
		t.Errorf("%q is where another replica was first", got)
	}
	b.put(t, "ann", msgs[:14], 12, 6, "two")
	if got, at := a.find(t, "ann", msgs[:16]); got != "two" || at != 12 {
		t.Errorf("found %q at %d, want two at 12", got, at)
	}
	if got, at := a.find(t, "bob", msgs[:16]); at != -1 {
		t.Errorf("another client found %q", got)
	}
	if s := a.Stats(); s.Adopted != 1 || s.Conflicts != 0 {
		t.Errorf("%+v", s)
	}
	if s := b.Stats(); s.Adopted != 1 || s.Conflicts != 1 {
		t.Errorf("%+v", s)
	}
}

// A form that another replica made for a longer conversation is found when this one continues it.
func TestLaterFormsAreFound(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 30, "hello")
	a.put(t, "ann", msgs[:20], 16, -1, "late")
	if got, at := b.find(t, "ann", msgs[:10]); at != -1 { // a request sent again
		t.Fatalf("found %q at %d", got, at)
	}
	if got, at := b.find(t, "ann", msgs[:22]); got != "late" || at != 16 {
		t.Errorf("found %q at %d, want late at 16", got, at)
	}
}

// For a conversation without writes one round trip is enough, however long it is.
func TestRoundTrips(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 200, "hello")
	trips := func(r *replica, want uint64, do func()) {
		t.Helper()
		r.written(t)
		before := r.Stats()
		do()
		if got := r.Stats().RoundTrips - before.RoundTrips; got > want {
			t.Errorf("%d round trips, want at most %d", got, want)
		}
	}
	turn := func(r *replica, n int) *Conversation {
		c := r.conversation("ann", msgs[:n])
		if _, err := c.LastSeen(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Find(t.Context(), n, nil); err != nil {
			t.Fatal(err)
		}
		return c
	}
	trips(a, 3, func() {
		c := turn(a, 100)
		if _, err := c.Replace(t.Context(), 90, -1, []byte("form")); err != nil {
			t.Fatal(err)
		}
	})
	trips(a, 1, func() { turn(a, 104) })
	trips(b, 2, func() { turn(b, 106) })
	trips(b, 1, func() { turn(b, 108) })
	trips(a, 1, func() { turn(a, 110) })
	trips(b, 3, func() {
		c := turn(b, 150)
		if _, err := c.Replace(t.Context(), 140, 90, []byte("form")); err != nil {
			t.Fatal(err)
		}
	})
	trips(a, 2, func() { turn(a, 152) })
	trips(a, 1, func() { turn(a, 154) })
}

// A conversation that a replica has never seen takes the same number of round trips, however long
// it is.
func TestRoundTripsOfLongConversations(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 3*maxNames, "hello")
	for i, r := range []*replica{a, b} {
		before := r.Stats()
		c := r.conversation("ann", msgs)
		found, _, err := c.Find(t.Context(), len(msgs), nil)
		if err != nil || (found == nil) != (i == 0) {
			t.Fatalf("replica %d: found %v, %v", i, found, err)
		}
		if got, err := c.Replace(t.Context(), len(msgs)-10, -1, []byte("form")); err != nil ||
			string(got.Value) != "form" {
			t.Errorf("%v stands, %v", got, err)
		}
		after := r.Stats()
		if n := after.RoundTrips - after.Async - before.RoundTrips + before.Async; n > 3 {
			t.Errorf("%d round trips, want at most 3", n)
		}
		msgs = append(msgs, talk(t, 2*maxNames, "and on")...)
	}
}

// A form that a replica's local store had no room for, or evicted, is fetched again.
func TestFormsThatAreNotKeptNear(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 30, "hello")
	a.put(t, "ann", msgs[:20], 16, -1, "one")
	for n := 20; n < 26; n += 2 {
		for name, r := range map[string]*replica{"its maker": a, "another": b} {
			if got, at := r.find(t, "ann", msgs[:n]); got != "one" || at != 16 {
				t.Errorf("%s finds %q at %d, want one at 16", name, got, at)
			}
			if _, err := r.near.ForgetAll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestOriginalsAndLastSeenAreShared(t *testing.T) {
	// Random names and encrypted values do not contain these by chance.
	const who, then = "ann.of.the.first", "then, and not before"
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 4, "hello")
	c := a.conversation(who, msgs)
	content := []byte(strings.Repeat("an output\n", 1000))
	ref := a.secret.Ref(who, content)
	list := []cache.Original{{Ref: ref, Content: content}}
	if err := c.PutOriginals(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if err := c.PutLastSeen(t.Context(), []byte(then)); err != nil {
		t.Fatal(err)
	}
	a.written(t)
	if got, err := b.Original(t.Context(), who, ref); string(got) != string(content) ||
		err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := b.Original(t.Context(), "bob", ref); err == nil {
		t.Error("another client is given the original")
	}
	if got, err := b.conversation(who, msgs).LastSeen(t.Context()); string(got) != then ||
		err != nil {
		t.Errorf("last seen is %q, %v", got, err)
	}
	for _, name := range server.Keys() {
		if !server.Exists(name) || name == secretName || name == checkName || name == eventsName {
			continue
		}
		value, _ := server.Get(name)
		if strings.Contains(value, "an output") || strings.Contains(value, then) ||
			strings.Contains(name, who) {
			t.Errorf("%s shows what it holds", name)
		}
		if server.TTL(name) <= 0 {
			t.Errorf("%s never expires", name)
		}
	}
}
