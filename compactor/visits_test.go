package compactor

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/view"
)

func TestWhenAProviderHasForgotten(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct {
		visits []visit
		want   bool
	}{
		"never seen":             {nil, false},
		"just seen":              {[]visit{{1, ago(time.Minute)}}, false},
		"seen a lifetime ago":    {[]visit{{1, ago(time.Hour)}}, true},
		"with another leading":   {[]visit{{2, ago(time.Minute)}}, true},
		"a side request between": {[]visit{{2, ago(time.Second)}, {1, ago(time.Minute)}}, false},
		"one after a rest":       {[]visit{{2, ago(time.Second)}, {1, ago(2 * time.Hour)}}, true},
	} {
		if got := expired(c.visits, 1, now, time.Hour); got != c.want {
			t.Errorf("%s: forgotten %t, want %t", name, got, c.want)
		}
		if got := readVisits(appendVisits(nil, c.visits)); len(got) != len(c.visits) {
			t.Errorf("%s: %v is read back as %v", name, c.visits, got)
		}
	}
	if readVisits([]byte("no visits")) != nil || readVisits(nil) != nil {
		t.Error("visits are read from what holds none")
	}
	var all []visit
	for i := range uint64(10) {
		all = merged([]visit{{i, ago(time.Duration(10-i) * time.Minute)}}, all)
	}
	if len(all) != mostLeading || all[0].leading != 9 || all[mostLeading-1].leading != 6 {
		t.Errorf("of ten leading parts, %v are remembered", all)
	}
}

// deletedMeanwhile is a store in which data is deleted while a request looks at its visits or writes
// them.
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

func (c *deletedConversation) Visits(ctx context.Context) ([]byte, error) {
	defer c.store.read()
	return c.Conversation.Visits(ctx)
}

func (c *deletedConversation) KeepVisits(ctx context.Context, value []byte) error {
	c.store.written()
	return c.Conversation.KeepVisits(ctx, value)
}

// Of a conversation that is deleted while a request of it is under way, only that request's own
// visit is stored afterwards, and none is remembered.
func TestDeletedVisitsAreNotStoredAgain(t *testing.T) {
	nothing := func() {}
	for _, when := range []string{"never", "read", "written", "while it is deleted"} {
		t.Run(when, func(t *testing.T) {
			at := &clock{now: time.UnixMilli(1_700_000_000_000)}
			store := &deletedMeanwhile{newMemStore(), nothing, nothing}
			policy := small
			policy.IdleAfter = 5 * time.Minute
			seen := func() *Engine {
				return New(Options{Policy: policy, Counter: byBytes, Store: store, Now: at.tell})
			}
			in := body(growing(22))
			other := bytes.Replace(in, []byte("gpt-5.1"), []byte("gpt-4.1"), 1)
			seen().Compact(t.Context(), parse(t, in), "ann")
			at.now = at.now.Add(time.Hour)
			e := seen() // which has the visits of the store alone
			deletion := func() {
				end := e.ForgetVisits()
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
				end := e.ForgetVisits()
				store.read = func() {
					clear(store.values)
					end()
				}
			}
			e.Compact(t.Context(), parse(t, other), "ann")
			conv := store.memStore.Conversation("ann", parse(t, in).Messages(), nil)
			value, _ := conv.Visits(t.Context())
			if got := readVisits(value); len(got) != want || !got[0].at.Equal(at.now) {
				t.Errorf("stored are %v, want %d of which the last is %v", got, want, at.now)
			}
			if remembered := len(e.visits.last) > 0; remembered != (when == "never") {
				t.Errorf("visits are remembered: %t", remembered)
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
		Policy: small, Counter: byBytes, Store: store, Now: at.tell, Costs: caching,
	})
}

// What was compacted after a rest stays so: the turns behind it are sent in that form, though the
// conversation is not past the trigger and does not rest any more.
func TestAFormThatWasMadeAfterARestIsKept(t *testing.T) {
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

// Another process that shares the store has seen the conversation meanwhile: it has not rested.
func TestVisitsAreSharedThroughTheStore(t *testing.T) {
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
			t.Fatalf("visit %d finds that the conversation rested", i)
		}
		at.now = at.now.Add(4 * time.Minute)
	}
	at.now = at.now.Add(2 * time.Minute)
	if !see(other) {
		t.Error("after six minutes at any process it counts as seen just now")
	}
}

// Other tools, and all that was cached is lost: as free a moment as a rest.
func TestANewLeadingPartIsAFreeMoment(t *testing.T) {
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
