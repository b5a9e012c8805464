package compactor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
)

// laden is a conversation with much of everything that a record tells.
func laden() []string {
	msgs := []string{
		chattest.Says(chat.User, "Mend the oven of the bakery in the harbour, please."),
	}
	long := strings.Repeat("and so on, at length, ", 12)
	for i := range 120 {
		msgs = append(
			msgs,
			exchange(
				"Edit",
				chattest.Object(
					"file_path",
					fmt.Sprintf("/srv/bakery/part_%d/oven_%d.go", i%9, i),
					"old_string",
					"a",
					"new_string",
					"b",
				),
				"ok",
			)...)
		msgs = append(
			msgs,
			exchange(
				"Bash",
				chattest.Object("command", fmt.Sprintf("make part%d %s", i, long)),
				fmt.Sprintf("Exit code %d\nthe end of handlerNumber%d", i%2, i),
			)...)
		msgs = append(
			msgs,
			exchange(
				"book",
				chattest.Object("seat", fmt.Sprint(i), "why", long),
				chattest.Object("id", fmt.Sprintf("R7%05d", i), "note", long[:60]),
			)...)
		msgs = append(
			msgs,
			chattest.Says(chat.Assistant, fmt.Sprintf("Step %d is done: %s", i, long)),
			chattest.Says(chat.User, fmt.Sprintf("Then step %d: %s", i+1, strings.Repeat(long, 8))),
		)
	}
	msgs = append(
		msgs,
		exchange(
			"TodoWrite",
			`{"todos":[{"content":`+chattest.Quote(
				long,
			)+`,"status":"pending"},{"content":`+chattest.Quote(
				long,
			)+`,"status":"completed"}]}`,
			"ok",
		)...)
	return append(msgs, chattest.Says(chat.Assistant, "All of it is done. "+long))
}

// A record keeps to its bound with all that stands in it; pins that would not fit are
// refused.
func TestRecordsKeepToTheirCap(t *testing.T) {
	const most = 16_000
	msgs := laden()
	for name, policy := range map[string]settings.Policy{
		"as it is":          {Target: 40_000},
		"with an index":     {Target: 40_000, IndexTokens: 2000, Covers: true},
		"in a small target": {Target: 3000, IndexTokens: 800, Covers: true},
		"in several":        {Target: 40_000, IndexTokens: 2000, RecordTokens: 30_000, Covers: true},
		"with pins":         {Target: 40_000, IndexTokens: 2000, Covers: true, Pin: []string{"role:tool:R700007", "role:tool:R700008", "role:assistant:Step 9 is"}},
	} {
		_, cp := foldsAt(t, policy, msgs, 321, 641, len(msgs))
		for i := range cp.Records {
			text := checkpoint.Text(cp.Records[i : i+1])
			if len(text) > most {
				t.Errorf("%s: a record of %d bytes, at most %d are allowed", name, len(text), most)
			}
			if len(policy.Pin) > 0 &&
				(!strings.Contains(text, "Pinned by the operator: message") || !strings.Contains(text, "R700007")) {
				t.Errorf("%s: a pin is lost", name)
			}
		}
	}
	short := append(
		exchange("get_policy", "{}", strings.Repeat("x\n", 3900)),
		chattest.Says(chat.Assistant, "Read."),
	)
	for name, c := range map[string]struct {
		pin  string
		more []string
	}{
		"pins beyond the bound": {"role:assistant:Step ", nil}, // 30 KB of them
		"pins of short lines":   {"tool:get_policy", short},
	} {
		policy := settings.Policy{
			Trigger:       60_000,
			Target:        40_000,
			Pin:           []string{c.pin},
			MinMaskTokens: 1 << 20,
		}
		in := append(append(slices.Clone(msgs[:1]), c.more...), msgs[1:]...)
		res := New(
			Options{Policy: policy, Counter: byBytes, Store: newMemStore()},
		).Compact(t.Context(), parse(t, body(append(in, chattest.Says(chat.User, "Go on.")))), "ann")
		for _, record := range recordsIn(parse(t, res.Body)) {
			if len(record) > most {
				t.Errorf("%s: a record of %d bytes", name, len(record))
			}
		}
		if !slices.Contains(res.Made, plan.RejectedPins) || res.Folded {
			t.Errorf("%s: made %v, folded %t", name, res.Made, res.Folded)
		}
	}
}
