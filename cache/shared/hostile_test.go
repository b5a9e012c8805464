package shared

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"killick/cache"
)

// victim is the target of attacks: a conversation of ann's with a form, an original and a last-seen
// time, and one of bob's. The first replica has seen it; the second one asks the store.
type victim struct {
	t           *testing.T
	server      *miniredis.Miniredis
	db          *redis.Client // of an attacker who can do anything except read our secret
	first, next *replica
	ann         *Conversation
	ref         string // of her original
	original    string // its name
	bobs        string // the name of his form
	oldStamp    string
}

func newVictim(t *testing.T) *victim {
	v := &victim{t: t, server: miniredis.RunT(t)}
	v.first, v.next = start(t, v.server), start(t, v.server)
	v.db = redis.NewClient(&redis.Options{Addr: v.server.Addr()})
	t.Cleanup(func() { _ = v.db.Close() })
	msgs := talk(t, 20, "hello")
	v.first.put(t, "bob", msgs[:10], 6, -1, "of bob")
	bob := v.first.conversation("bob", msgs[:10])
	v.bobs = formName(bob.tag, bob.keys[6])
	v.first.put(t, "ann", msgs[:8], 4, -1, "before")
	v.ann = v.first.conversation("ann", msgs[:10])
	v.oldStamp = v.get(stampName(v.ann.tag))
	v.first.put(t, "ann", msgs[:10], 6, 4, "one")
	content := []byte(strings.Repeat("an output\n", 100))
	v.ref = v.first.secret.Ref("ann", content)
	v.original = originalName("ann", v.ref)
	if err := errors.Join(v.ann.PutLastSeen(t.Context(), []byte("then")),
		v.ann.PutOriginals(t.Context(),
			[]cache.Original{{Ref: v.ref, Content: content}})); err != nil {
		t.Fatal(err)
	}
	v.first.written(t)
	return v
}

func (v *victim) form() string { return formName(v.ann.tag, v.ann.keys[6]) }

func (v *victim) get(name string) string {
	v.t.Helper()
	value, err := v.server.Get(name)
	if err != nil {
		v.t.Fatal(err)
	}
	return value
}

// set replaces a value.
func (v *victim) set(name, value string) {
	v.t.Helper()
	if err := v.db.Set(v.t.Context(), name, value, 0).Err(); err != nil {
		v.t.Fatal(err)
	}
}

// list replaces a value with a list.
func (v *victim) list(name string) {
	v.t.Helper()
	ctx := context.Background()
	if err := errors.Join(v.db.Del(ctx, name).Err(),
		v.db.LPush(ctx, name, "x").Err()); err != nil {
		v.t.Fatal(err)
	}
}

// event adds an event to the stream.
func (v *victim) event(fields ...any) {
	v.t.Helper()
	err := v.db.XAdd(v.t.Context(), &redis.XAddArgs{Stream: eventsName, Values: fields}).Err()
	if err != nil {
		v.t.Fatal(err)
	}
}

// attacks are attacks by somebody who can write to the store but does not have the secret.
var attacks = map[string]func(v *victim){
	"another client's form": func(v *victim) { v.set(v.form(), v.get(v.bobs)) },
	"an original as a form": func(v *victim) { v.set(v.form(), v.get(v.original)) },
	"a form as an original": func(v *victim) { v.set(v.original, v.get(v.form())) },
	"a form as a time": func(v *victim) {
		v.set(lastSeenName(v.ann.tag), v.get(v.form()))
	},
	"a form that covers more":   func(v *victim) { v.moveForm(9) },
	"a form that covers less":   func(v *victim) { v.moveForm(2) },
	"nothing as a form":         func(v *victim) { v.set(v.form(), "") },
	"an old stamp":              func(v *victim) { v.set(stampName(v.ann.tag), v.oldStamp) },
	"no stamp":                  func(v *victim) { v.set(stampName(v.ann.tag), "") },
	"a stamp without a number":  func(v *victim) { v.set(stampName(v.ann.tag), "ab:") },
	"a stamp of a huge number":  func(v *victim) { v.stamp(strings.Repeat("9", 400)) },
	"a stamp below zero":        func(v *victim) { v.stamp("-5") },
	"a stamp of a false number": func(v *victim) { v.stamp("999999999") },
	"a list as a form":          func(v *victim) { v.list(v.form()) },
	"a list as a stamp":         func(v *victim) { v.list(stampName(v.ann.tag)) },
	"a list as a time":          func(v *victim) { v.list(lastSeenName(v.ann.tag)) },
	"a list as an original":     func(v *victim) { v.list(v.original) },
	"a list as the events":      func(v *victim) { v.list(eventsName) },
	"a list as the check":       func(v *victim) { v.list(checkName) },
	"a list as the secret":      func(v *victim) { v.list(secretName) },
	"lists everywhere": func(v *victim) {
		for _, name := range v.server.Keys() {
			v.list(name)
		}
	},
	"everything is gone": func(v *victim) { v.server.FlushAll() },
	"events of nonsense": func(v *victim) {
		v.event(eventField, "nonsense")
		v.event(eventField, "")
		v.event("another", "field")
		v.event(eventField, v.get(v.form()))
	},
	"huge values": func(v *victim) {
		huge := strings.Repeat("x", maxSmallBytes+1) // TestHugeValuesAreNotRead has larger ones
		for _, name := range []string{v.form(), stampName(v.ann.tag), lastSeenName(v.ann.tag),
			v.original} {
			v.set(name, huge)
		}
	},
}

// moveForm copies the form to the name of another prefix, and looks for it there.
func (v *victim) moveForm(index int) {
	v.t.Helper()
	v.set(formName(v.ann.tag, v.ann.keys[index]), v.get(v.form()))
	v.stamp("9")
}

func (v *victim) stamp(number string) {
	v.t.Helper()
	v.set(stampName(v.ann.tag), "0123456789abcdef:"+number)
}

// Whatever somebody without the secret does to the store, no call fails, only values that a replica
// wrote under the same name are accepted, and the conversation continues with its own forms.
func TestAttacksOnTheStore(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t)
			attack(v)
			msgs := talk(t, 40, "hello")
			for i, r := range []*replica{v.next, v.first, v.next} {
				v.request(r, r.conversation("ann", msgs[:10+4*i]))
			}
			if got, at := v.first.find(t, "bob", msgs[:10]); got != "of bob" || at != 6 {
				t.Errorf("another client finds %q at %d", got, at)
			}
			v.first.put(t, "ann", msgs[:30], 26, -1, "two")
			if got, _ := v.first.find(t, "ann", msgs[:32]); got != "two" {
				t.Errorf("a replica finds %q, want the form that it has just made", got)
			}
			v.first.written(t)
			if got, _ := v.next.find(t, "ann", msgs[:34]); !slices.Contains(v.forms(), got) &&
				got != "two" {
				t.Errorf("the other replica finds %q", got)
			}
			if n, err := v.first.ForgetOwner(t.Context(), "ann"); err == nil && n == 0 {
				t.Error("nothing was deleted")
			}
		})
	}
}

// forms are what replicas made for ann; nothing is none.
func (*victim) forms() []string { return []string{"", "before", "one"} }

// request makes all calls that a request makes to the store.
func (v *victim) request(r *replica, c *Conversation) {
	v.t.Helper()
	seen, err := c.LastSeen(v.t.Context())
	if err != nil || len(seen) > 0 && string(seen) != "then" {
		v.t.Errorf("the conversation was last seen %.20q, %v", seen, err)
	}
	found, _, err := c.Find(v.t.Context(), len(c.keys)-1, nil)
	if err != nil {
		v.t.Errorf("looking for a form: %v", err)
	}
	if found != nil && (!slices.Contains(v.forms(), string(found.Value)) ||
		string(found.Value) == "one" && found.Index != 6) {
		v.t.Errorf("found %.20q at %d", found.Value, found.Index)
	}
	content, err := r.Original(v.t.Context(), "ann", v.ref)
	if err == nil && !bytes.Equal(content, []byte(strings.Repeat("an output\n", 100))) ||
		err != nil && !errors.Is(err, cache.ErrNotFound) && !errors.Is(err, ErrAway) {
		v.t.Errorf("the original is %.20q, %v", content, err)
	}
	values, err := r.Checkpoints(v.t.Context(), "ann", c.keys)
	if err != nil && !errors.Is(err, ErrAway) {
		v.t.Errorf("the forms of a conversation: %v", err)
	}
	for _, value := range values {
		if !slices.Contains(v.forms(), string(value)) {
			v.t.Errorf("a form of the conversation is %.20q", value)
		}
	}
	if err := c.PutLastSeen(v.t.Context(), []byte("then")); err != nil {
		v.t.Error(err)
	}
}

// The size of a value that is read is limited, before its origin is known.
func TestHugeValuesAreNotRead(t *testing.T) {
	v := newVictim(t)
	const most = 64 << 10
	v.next.client.maxRecord = most
	huge := strings.Repeat("x", 2*most)
	v.set(v.form(), huge)
	got, err := v.next.client.newest(t.Context(), []string{v.form()})
	if err != nil || len(got.record) != most {
		t.Errorf("%d bytes of a form, %v, want %d", len(got.record), err, most)
	}
	a := v.ann.arguments(6, -1, []byte("mine"))
	there, err := v.next.client.claim(t.Context(), a)
	if err != nil || len(there.there) != most {
		t.Errorf("%d bytes of the form that is there, %v, want %d", len(there.there), err, most)
	}
	v.set(v.original, huge)
	if _, err := v.next.get(t.Context(), v.original); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("of an original: %v", err)
	}
}

// A recorded event that is added to the stream again costs its own client the local records of
// replicas, and does not affect others; an event with another client's keys does nothing.
func TestEventsAgain(t *testing.T) {
	v := newVictim(t)
	msgs := talk(t, 20, "hello")
	if _, err := v.first.ForgetOwner(t.Context(), "bob"); err != nil {
		t.Fatal(err)
	}
	old, err := v.db.XRange(t.Context(), eventsName, "-", "+").Result()
	if err != nil || len(old) != 1 {
		t.Fatalf("%d events, %v", len(old), err)
	}
	received := func(n uint64) {
		t.Helper()
		eventually(t, "the next event", func() bool { return v.next.Stats().Received >= n })
	}
	received(1)
	v.next.put(t, "bob", msgs[:12], 8, -1, "newer")
	if got, _ := v.next.find(t, "ann", msgs[:12]); got != "one" {
		t.Fatalf("found %q", got)
	}
	v.event(eventField, old[0].Values[eventField])
	received(2)
	keys := v.first.chain("ann", msgs[:12])
	mixed := v.first.sealed(Event{Kind: ForgetConversation, Who: "bob", Keys: keys,
		Refs: []string{v.ref}})
	v.event(eventField, mixed)
	received(3)
	v.server.FlushAll() // from here on only local records are found
	if got, _ := v.next.find(t, "ann", msgs[:12]); got != "one" {
		t.Errorf("an event of bob's took ann's form: found %q", got)
	}
	if _, at := v.next.find(t, "bob", msgs[:14]); at != -1 {
		t.Errorf("a deletion that was announced again left a form at %d", at)
	}
}
