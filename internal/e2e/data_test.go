package e2e

import (
	"bytes"
	"sync"
	"testing"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakeupstream"
	"killick/internal/recorded"
)

// bodyOf is the request that holds the first n messages of a conversation.
func bodyOf(c *recorded.Conversation, n int) []byte {
	return c.Body(`"model":"gpt-4o","temperature":0.70`, n)
}

// replayed is what a replay came to.
type replayed struct {
	turns, over, changed int
	raw, sent            int // tokens of the turns past the trigger
}

func (r *replayed) add(o replayed) {
	r.turns += o.turns
	r.over += o.over
	r.changed += o.changed
	r.raw += o.raw
	r.sent += o.sent
}

// longTokens is what makes a conversation a long one.
const longTokens = 40_000

// Every real conversation, turn by turn, over HTTP, against an upstream that
// refuses broken tool pairs: some of them, or with KILLICK_RECORDED=all each of them.
func TestRealConversations(t *testing.T) {
	all := recorded.Some(t, 0, everyConversation)
	var mu sync.Mutex
	var long, short replayed
	t.Run("replay", func(t *testing.T) {
		for _, c := range all {
			trigger, target, sums := config.Amount(2000), config.Amount(1000), &short
			if sum(first(countForUpstream(mustParse(t,
				bodyOf(&c, len(c.Messages)))))) > longTokens {
				trigger, target, sums = 32000, 16000, &long
			}
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				got := replayTurns(t, &c, trigger, target)
				mu.Lock()
				defer mu.Unlock()
				sums.add(got)
			})
		}
	})
	report := func(name string, r replayed) {
		t.Logf("%s: %d turns, %d past the trigger, %d of them changed; %d of %d tokens sent "+
			"there, %.1f%%",
			name, r.turns, r.over, r.changed, r.sent, r.raw,
			100*float64(r.sent)/float64(max(r.raw, 1)))
	}
	report("long, 32000 to 16000", long)
	report("short, 2000 to 1000", short)
	if long.over > 0 && long.sent*100 > long.raw*45 {
		t.Errorf("past the trigger %d of %d tokens were sent, want at most 45%%",
			long.sent, long.raw)
	}
	if short.changed == 0 {
		t.Error("no short conversation was ever compacted")
	}
}

func first(perMessage []int, fixed int) []int { return append(perMessage, fixed) }

func replayTurns(t *testing.T, c *recorded.Conversation, trigger,
	target config.Amount) (r replayed) {
	g := newGateway(t, fakeupstream.Config{}, between(trigger, target))
	for i := 1; i <= len(c.Messages); i++ {
		if i < len(c.Messages) && !c.FromAssistant(i) {
			continue
		}
		r.turns++
		if raceEnabled && r.turns%raceSample != 0 && i < len(c.Messages) {
			continue
		}
		in := bodyOf(c, i)
		f := g.chat(t, "key", in)
		if f.status != 200 {
			t.Fatalf("turn %d: status %d: %.300s", i, f.status, f.reply)
		}
		for _, breach := range breaches(in, f.body) {
			t.Errorf("turn %d: %s", i, breach)
		}
		raw, sent := proxytest.Tokens(t, f.header.Get("Killick-Tokens"))
		if raw > int(trigger) {
			r.over++
			r.raw += raw
			r.sent += sent
			if !bytes.Equal(in, f.body) {
				r.changed++
			}
		} else if !bytes.Equal(in, f.body) {
			t.Errorf("turn %d: changed though %d tokens are under the trigger", i, raw)
		}
		if counted := sum(first(countForUpstream(mustParse(t, f.body)))); sent != 0 &&
			counted != sent {
			t.Errorf("turn %d: reports that %d tokens were sent, the upstream counts %d", i,
				sent, counted)
		}
		if i%7 == 0 && !bytes.Equal(g.chat(t, "key", in).body, f.body) {
			t.Errorf("turn %d: sent twice, other bytes were forwarded", i)
		}
	}
	return r
}
