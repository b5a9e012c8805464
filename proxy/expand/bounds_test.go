package expand

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"killick/internal/cputime"
	"killick/proxy/format"
)

// An upstream that goes on after the end of its answer gets no memory for it: what was held is
// sent, and the rest passes.
func TestEndsThatGoOn(t *testing.T) {
	filler := strings.Repeat("x", 1<<20)
	for f, c := range map[format.Format]struct{ first, more string }{
		format.Chat: {chunk(`{"tool_calls":[{"index":0,"id":"t1","function":{"name":"`+Name+
			`","arguments":"{}"}}]}`, `"tool_calls"`), chunk(`{"content":"`+filler+`"}`, "null")},
		format.Messages: {`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
			`{"type":"message_delta","filler":"` + filler + `"}`},
	} {
		s := &Session{Format: f, Report: func(Outcome) {}}
		b := &stream{s: s, ctx: t.Context(), relay: s.relay()}
		for i := range 40 {
			one := c.more
			if i == 0 {
				one = c.first
			}
			e := parse([]byte(events(one)))
			b.event(&e)
		}
		if !b.over || len(b.out) < 39<<20 {
			t.Errorf("%s: %d MiB of 39 were sent", f, len(b.out)>>20)
		}
	}
}

// The work for a call does not grow with the number of calls.
func TestManyCalls(t *testing.T) {
	var turn chatTurn
	start := cputime.Used()
	for i := range 200_000 {
		turn.addCall([]byte(`{"index":` + strconv.Itoa(i) + `,"function":{"name":"x"}}`))
	}
	if took := cputime.Used() - start; took > 5*time.Second || len(turn.calls) != 200_000 {
		t.Errorf("%d calls took %s", len(turn.calls), took)
	}
}
