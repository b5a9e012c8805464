package shared

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"killick/cache"
)

// names returns the names on the server that belong to clients.
func names(server *miniredis.Miniredis) (of []string) {
	for _, name := range server.Keys() {
		if strings.HasPrefix(name, space+"{") {
			of = append(of, name)
		}
	}
	return of
}

// fill stores a form, an original and a last-seen record of each client.
func fill(t *testing.T, r *replica, clients ...string) (refs map[string]string) {
	t.Helper()
	refs = map[string]string{}
	msgs := talk(t, 20, "hello")
	for _, who := range clients {
		r.put(t, who, msgs, 16, -1, "form of "+who)
		c := r.conversation(who, msgs)
		content := []byte("output of " + who)
		refs[who] = r.secret.Ref(who, content)
		if err := c.PutOriginals(t.Context(),
			[]cache.Original{{Ref: refs[who], Content: content}}); err != nil {
			t.Fatal(err)
		}
		if err := c.PutLastSeen(t.Context(), []byte("then")); err != nil {
			t.Fatal(err)
		}
	}
	r.written(t)
	return refs
}

func TestForgetting(t *testing.T) {
	for name, c := range map[string]struct {
		forget func(*testing.T, *replica, string) (int, error)
		left   []string // clients
	}{
		"a conversation": {func(t *testing.T, r *replica, ref string) (int, error) {
			chain := r.chain("ann", talk(t, 20, "hello"))
			return r.Forget(t.Context(), "ann", [][]cache.Key{chain}, []string{ref})
		}, []string{"bob"}},
		"a client": {func(t *testing.T, r *replica, _ string) (int, error) {
			return r.ForgetOwner(t.Context(), "ann")
		}, []string{"bob"}},
		"all": {func(t *testing.T, r *replica, _ string) (int, error) {
			return r.ForgetAll(t.Context())
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := miniredis.RunT(t)
			a, b := start(t, server), start(t, server)
			refs := fill(t, a, "ann", "bob")
			msgs := talk(t, 22, "hello")
			for who := range refs { // the other replica has copies
				if got, _ := b.find(t, who, msgs); got != "form of "+who {
					t.Fatalf("found %q", got)
				}
			}
			n, err := c.forget(t, a, refs["ann"])
			if err != nil || n == 0 {
				t.Fatalf("%d, %v", n, err)
			}
			for _, who := range []string{"ann", "bob"} {
				kept := slices.Contains(c.left, who)
				eventually(t, "the forgetting of "+who, func() bool {
					found, _, err := b.near.Find(t.Context(), b.chain(who, msgs), nil)
					return err == nil && (found != nil) == kept
				})
				for _, r := range []*replica{a, b} {
					got, _ := r.find(t, who, msgs)
					_, err := r.Original(t.Context(), who, refs[who])
					if (got != "") != kept || (err == nil) != kept {
						t.Errorf("%s: the form is %q; the original: %v", who, got, err)
					}
				}
			}
			if left := names(server); (len(left) > 0) != (len(c.left) > 0) {
				t.Errorf("left are %q", left)
			}
			if later := start(t, server); later.secret != a.secret {
				t.Error("the secret was forgotten, too")
			}
		})
	}
}

// Work that a deletion ends may still store something. That is deleted, too.
func TestWorkEndsBeforeItsDataIsDeleted(t *testing.T) {
	server := miniredis.RunT(t)
	a := start(t, server)
	fill(t, a, "ann")
	msgs := talk(t, 20, "hello")
	chain := a.chain("ann", msgs)
	ended := make(chan struct{})
	b := open(t, server)
	b.Ending = func(ctx context.Context, _ Event) {
		defer close(ended)
		if _, err := b.near.Replace(ctx, chain, 18, -1, []byte("late")); err != nil {
			t.Error(err)
		}
	}
	b.Start(nil)
	_, err := a.Forget(t.Context(), "ann", [][]cache.Key{chain}, nil)
	if err != nil {
		t.Fatal(err)
	}
	<-ended
	eventually(t, "the deletion", func() bool {
		found, _, err := b.near.Find(t.Context(), chain, nil)
		return err == nil && found == nil
	})
}

// A replica that was disconnected applies deletions before it uses the store again, and a deletion
// that cannot reach the store returns an error.
func TestDeletionDuringAnOutage(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	msgs := talk(t, 22, "hello")
	refs := fill(t, a, "ann")
	if got, _ := b.find(t, "ann", msgs); got == "" {
		t.Fatal("nothing was found")
	}
	b.stop() // it no longer receives events
	b.client.markDown(nil)
	if _, err := a.ForgetOwner(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if got, _ := b.find(t, "ann", msgs); got == "" {
		t.Fatal("a replica that is away has forgotten")
	}
	if err := b.checkUsable(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.client.health.set(true)
	if got, _ := b.find(t, "ann", msgs); got != "" {
		t.Errorf("found %q after it was notified to forget", got)
	}
	server.Close()
	_, err := a.Forget(t.Context(), "ann", [][]cache.Key{a.chain("ann", msgs)},
		[]string{refs["ann"]})
	if err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("%v, want one that says to try again", err)
	}
}

// Pending writes of a client are dropped when its data is deleted; those of other clients are not.
func TestDeletionOfWhatIsWaiting(t *testing.T) {
	server := miniredis.RunT(t)
	a := start(t, server)
	msgs := talk(t, 20, "hello")
	server.Close()
	for _, who := range []string{"ann", "bob"} {
		if err := a.conversation(who, msgs).PutLastSeen(t.Context(), []byte("then")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.ForgetOwner(t.Context(), "ann"); err == nil {
		t.Error("no error without the store")
	}
	back(t, server, a)
	a.written(t)
	if got := names(server); len(got) != 1 ||
		got[0] != lastSeenName(a.conversation("bob", msgs).tag) {
		t.Errorf("the store holds %q", got)
	}
}

func TestAnnouncements(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	received := make(chan Event, 10)
	startReceiving(t, server, func(e Event) { received <- e })
	a.Announce("ann", "window", []byte("5000"))
	b.Announce("bob", "window", []byte("6000"))
	a.written(t)
	b.written(t)
	got := map[string]string{}
	for range 2 {
		e := <-received
		got[e.Who] = e.Topic + " " + string(e.Value)
	}
	if got["ann"] != "window 5000" || got["bob"] != "window 6000" {
		t.Errorf("received %q", got)
	}
	if n := a.Stats().Received; n > 1 {
		t.Errorf("a replica received %d events, its own among them", n)
	}
}

// Events are kept for their time to live by the store's clock. A replica whose own clock is ahead
// does not remove what others have not received.
func TestEventsOutliveAClockThatIsAhead(t *testing.T) {
	server := miniredis.RunT(t)
	storesTime := time.Now().Add(-30 * 24 * time.Hour)
	server.SetTime(storesTime)
	a := start(t, server)
	delete := func(who string, want int) {
		t.Helper()
		if _, err := a.ForgetOwner(t.Context(), who); err != nil {
			t.Fatal(err)
		}
		eventually(t, "receiving", func() bool {
			last, err := server.Stream(eventsName)
			return err == nil && len(last) > 0 && a.position.get() == last[len(last)-1].ID
		})
		if events, err := server.Stream(eventsName); err != nil || len(events) != want {
			t.Errorf("%d events after %s was deleted, %v, want %d", len(events), who, err, want)
		}
	}
	delete("ann", 1)
	delete("bob", 2)
	server.SetTime(storesTime.Add(2 * a.ttl))
	delete("cid", 3)
	server.SetTime(storesTime.Add(2*a.ttl + time.Minute))
	delete("dan", 2) // the first two have expired
}
