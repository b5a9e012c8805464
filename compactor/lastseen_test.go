package compactor

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/view"
)

func TestWhenAProvidersCacheHasExpired(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	seen := func(preamble, replies uint64, ago time.Duration) lastSeen {
		return lastSeen{beginning{preamble, replies}, now.Add(-ago)}
	}
	for name, c := range map[string]struct {
		times []lastSeen
		want  bool
	}{
		"never seen":            {nil, false},
		"just seen":             {[]lastSeen{seen(1, 7, time.Minute)}, false},
		"seen a lifetime ago":   {[]lastSeen{seen(1, 7, time.Hour)}, true},
		"with another preamble": {[]lastSeen{seen(2, 7, time.Minute)}, true},
		"a side request between": {
			[]lastSeen{seen(2, 7, time.Second), seen(1, 7, time.Minute)}, false,
		},
		"one after an idle time": {
			[]lastSeen{seen(2, 7, time.Second), seen(1, 7, 2*time.Hour)}, true,
		},
		// Whether this one was idle is not known.
		"another conversation, idle":                 {[]lastSeen{seen(1, 8, 2*time.Hour)}, false},
		"another conversation with another preamble": {[]lastSeen{seen(2, 8, time.Second)}, false},
		"beside another conversation": {
			[]lastSeen{seen(1, 8, time.Second), seen(1, 7, 2*time.Hour)}, true,
		},
	} {
		if got := expired(c.times, beginning{1, 7}, now, time.Hour); got != c.want {
			t.Errorf("%s: expired %t, want %t", name, got, c.want)
		}
		if got := readLastSeen(encodeLastSeen(c.times)); !slices.Equal(got, c.times) {
			t.Errorf("%s: %v is read back as %v", name, c.times, got)
		}
	}
	if readLastSeen([]byte("not a list")) != nil || readLastSeen(nil) != nil {
		t.Error("times are read from bytes that hold none")
	}
	var all []lastSeen
	const many = 2 * maxLastSeen
	for i := range uint64(many) {
		all = merged([]lastSeen{seen(i/2, i%2, time.Duration(many-i)*time.Minute)}, all)
	}
	if len(all) != maxLastSeen || all[0].beginning != (beginning{maxLastSeen - 1, 1}) ||
		all[maxLastSeen-1].beginning != (beginning{maxLastSeen / 2, 0}) {
		t.Errorf("of %d beginnings, %v are remembered", many, all)
	}
}

// deletedMeanwhile is a store in which data is deleted while a request reads when its conversation
// was last seen, or writes it.
type deletedMeanwhile struct {
	*memStore
	read, written func()
}

func (s *deletedMeanwhile) Conversation(
	who string, msgs []view.Message, memory *view.Memory,
) checkpoint.Conversation {
	return &deletedConversation{s.memStore.Conversation(who, msgs, memory), s}
}

type deletedConversation struct {
	checkpoint.Conversation
	store *deletedMeanwhile
}

func (c *deletedConversation) LastSeen() checkpoint.LastSeen {
	return &deletedLastSeen{c.Conversation.LastSeen(), c.store}
}

type deletedLastSeen struct {
	checkpoint.LastSeen
	store *deletedMeanwhile
}

func (l *deletedLastSeen) Get(ctx context.Context) ([]byte, error) {
	defer func() { l.store.read() }()
	return l.LastSeen.Get(ctx)
}

func (l *deletedLastSeen) Put(ctx context.Context, value []byte) error {
	l.store.written()
	return l.LastSeen.Put(ctx, value)
}

// Of a conversation that is deleted while a request of it is under way, only the time of that
// request is stored afterwards, and none is remembered.
func TestDeletedTimesAreNotStoredAgain(t *testing.T) {
	nothing := func() {}
	for _, when := range []string{"never", "read", "written", "while it is deleted"} {
		t.Run(when, func(t *testing.T) {
			at := &clock{now: time.UnixMilli(1_700_000_000_000)}
			store := &deletedMeanwhile{newMemStore(), nothing, nothing}
			policy := small
			policy.IdleAfter = 5 * time.Minute
			seen := func() *Engine {
				return New(Options{Policy: policy, Counter: byBytes, Store: store, Now: at.read})
			}
			in := body(growing(22))
			other := bytes.Replace(in, []byte("gpt-5.1"), []byte("gpt-4.1"), 1)
			seen().Compact(t.Context(), parse(t, in), "ann")
			at.now = at.now.Add(time.Hour)
			e := seen() // it knows only the times in the store
			deletion := func() {
				end := e.ForgetLastSeen()
				defer end()
				clear(store.values)
				store.read, store.written = nothing, nothing
			}
			want := 1
			switch when {
			case "never":
				want = 2
			case "read":
				store.read = deletion
			case "written":
				store.written = deletion
			default:
				end := e.ForgetLastSeen()
				store.read = func() {
					clear(store.values)
					end()
				}
			}
			e.Compact(t.Context(), parse(t, other), "ann")
			conv := store.memStore.Conversation("ann", parse(t, in).Messages(), nil)
			value, _ := conv.LastSeen().Get(t.Context())
			if got := readLastSeen(value); len(got) != want || !got[0].at.Equal(at.now) {
				t.Errorf("stored: %v, want %d entries, the newest %v", got, want, at.now)
			}
			if remembered := len(e.lastSeen.last) > 0; remembered != (when == "never") {
				t.Errorf("it is remembered: %t", remembered)
			}
		})
	}
}

// growing is a conversation of one tool call after another; a turn adds 240 tokens.
func growing(turns int) []string {
	msgs := []string{`{"role":"user","content":"Look at all of it."}`}
	for i := range turns {
		msgs = append(msgs, fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"c%d","type":`+
			`"function","function":{"name":"run","arguments":"{\"n\":%d}"}}]}`, i, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":"%d %s"}`, i, i,
				strings.Repeat("line ", 20)))
	}
	return msgs
}

// caching is a provider that forgets after five minutes.
func caching(string) settings.Costs { return settings.Costs{Lifetime: 5 * time.Minute} }

// replica is one of several processes in front of a store.
func replica(store *memStore, at *clock) *Engine {
	return New(Options{
		Policy: small, Counter: byBytes, Store: store, Now: at.read, Costs: caching,
	})
}

// A form that was made after an idle time is kept: later turns are sent in it, although the
// conversation is not past the trigger and is no longer idle.
func TestAFormMadeAfterIdleTimeIsKept(t *testing.T) {
	at := &clock{now: time.UnixMilli(1_700_000_000_000)}
	store := newMemStore()
	one, other := replica(store, at), replica(store, at)
	msgs := growing(30)
	var sent []byte
	formed := 0
	for n := 1; n <= len(msgs); n += 2 {
		in := body(msgs[:n])
		before := sent
		engine := one
		if n%4 == 1 {
			engine = other
		}
		res := engine.Compact(t.Context(), parse(t, in), "ann")
		if res.Raw > 2000 {
			break
		}
		checkForm(t, in, res.Body)
		sent = res.Body
		switch {
		case formed > 0:
			kept, _, _ := bytes.Cut(before, []byte(`], "temperature"`))
			if !bytes.HasPrefix(sent, kept) {
				t.Fatalf("turn %d no longer begins with what was sent at the turn before", n)
			}
			formed++
		case res.Masked || res.Folded:
			t.Fatalf("turn %d is compacted without a rest, at %d tokens", n, res.Raw)
		case res.Raw > 1600:
			at.now = at.now.Add(10 * time.Minute)
			res = engine.Compact(t.Context(), parse(t, in), "ann")
			if !res.Masked && !res.Folded {
				t.Fatalf("after a rest %d tokens are sent as %s", res.Raw, res.Reason)
			}
			checkForm(t, in, res.Body)
			sent, formed = res.Body, 1
		}
		at.now = at.now.Add(10 * time.Second)
	}
	if formed < 2 {
		t.Fatal("no turn follows the rest")
	}
}

// Another process that shares the store has seen the conversation meanwhile: it was not idle.
func TestLastSeenIsSharedThroughTheStore(t *testing.T) {
	at := &clock{now: time.UnixMilli(1_700_000_000_000)}
	store := newMemStore()
	one, other := replica(store, at), replica(store, at)
	in := body(growing(22))
	see := func(e *Engine) bool {
		res := e.Compact(t.Context(), parse(t, in), "ann")
		if res.Raw <= 1500 || res.Raw > 2000 {
			t.Fatalf("a conversation of %d tokens, want one between the mark and the trigger",
				res.Raw)
		}
		return res.Masked || res.Folded
	}
	for i, e := range []*Engine{one, other, other, other, one} {
		if see(e) {
			t.Fatalf("request %d finds that the conversation was idle", i)
		}
		at.now = at.now.Add(4 * time.Minute)
	}
	at.now = at.now.Add(2 * time.Minute)
	if !see(other) {
		t.Error("after six minutes at any process it counts as seen just now")
	}
}

// With other tools, nothing is cached any more: a new form is as free as after an idle time.
func TestANewLeadingPartMakesCompactionFree(t *testing.T) {
	at := &clock{now: time.UnixMilli(1_700_000_000_000)}
	e := replica(newMemStore(), at)
	in := body(growing(22))
	with := append(
		bytes.TrimSuffix(bytes.TrimSpace(in), []byte("}")),
		`,"tools":[{"type":"function"}]}`...)
	e.Compact(t.Context(), parse(t, in), "ann")
	res := e.Compact(t.Context(), parse(t, with), "ann")
	if !res.Masked && !res.Folded {
		t.Errorf("with other tools %d tokens are sent as %s", res.Raw, res.Reason)
	}
}

// Conversations of one credential may begin with the same message, as those of a script do. Short
// turns are not noted, so a conversation that is noted for the first time may have been sent a
// moment ago: that another one was idle, or had other tools, says nothing about it.
func TestConversationsWithTheSameFirstMessage(t *testing.T) {
	at := &clock{now: time.UnixMilli(1_700_000_000_000)}
	store := newMemStore()
	one, other := replica(store, at), replica(store, at)
	msgs := growing(22)
	of := func(n int) []byte {
		return bytes.ReplaceAll(body(msgs), []byte(`"c`), fmt.Appendf(nil, `"of_%d_c`, n))
	}
	see := func(e *Engine, in []byte) bool {
		res := e.Compact(t.Context(), parse(t, in), "ann")
		return res.Masked || res.Folded
	}
	see(one, of(1))
	at.now = at.now.Add(time.Hour)
	otherModel := bytes.Replace(of(3), []byte("gpt-5.1"), []byte("gpt-4.1"), 1)
	for name, in := range map[string][]byte{
		"after another was idle": of(2), "with another model": otherModel,
	} {
		for _, e := range []*Engine{one, other} {
			if see(e, in) {
				t.Errorf("%s, one is compacted that was never noted", name)
			}
		}
	}
	// Each is known from then on, at every process.
	at.now = at.now.Add(time.Hour)
	for name, in := range map[string][]byte{"the first": of(1), "the second": of(2)} {
		if !see(other, in) {
			t.Errorf("after it was idle, %s is left alone", name)
		}
	}
}

// A clock that was ahead and is set back leaves times in the future. A conversation that rests from
// then on is idle all the same, at this process and at another.
func TestAClockThatIsSetBack(t *testing.T) {
	in := body(growing(22))
	for _, elsewhere := range []bool{false, true} {
		at := &clock{now: time.UnixMilli(1_700_000_000_000)}
		store := newMemStore()
		one := replica(store, at)
		see := func(e *Engine, want bool, when string) {
			t.Helper()
			res := e.Compact(t.Context(), parse(t, in), "ann")
			if got := res.Masked || res.Folded; got != want {
				t.Errorf("%s, elsewhere %t: compacted %t, want %t", when, elsewhere, got, want)
			}
		}
		see(one, false, "at first")
		at.now = at.now.Add(-24 * time.Hour)
		then := one
		if elsewhere {
			then = replica(store, at)
		}
		see(then, false, "after the clock was set back")
		at.now = at.now.Add(10 * time.Minute)
		see(then, true, "after ten minutes")
	}
}
