package fold

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// laden is a conversation with much of everything that a record lists.
func laden() []string {
	msgs := []string{
		chattest.Says(view.User, "Mend the oven of the bakery in the harbour, please."),
	}
	long := strings.Repeat("and so on, at length, ", 12)
	for i := range 120 {
		msgs = append(
			msgs,
			chattest.Exchange(
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
		msgs = append(msgs, chattest.Exchange("Bash",
			chattest.Object("command", fmt.Sprintf("make part%d %s", i, long)),
			fmt.Sprintf("Exit code %d\nthe end of handlerNumber%d", i%2, i))...)
		msgs = append(msgs, chattest.Exchange("book",
			chattest.Object("seat", fmt.Sprint(i), "why", long),
			chattest.Object("id", fmt.Sprintf("R7%05d", i), "note", long[:60]))...)
		msgs = append(
			msgs,
			chattest.Says(view.Assistant, fmt.Sprintf("Step %d is done: %s", i, long)),
			chattest.Says(view.User, fmt.Sprintf("Then step %d: %s", i+1, strings.Repeat(long, 8))),
		)
	}
	msgs = append(
		msgs,
		chattest.Exchange("TodoWrite",
			`{"todos":[{"content":`+chattest.Quote(long)+`,"status":"pending"},`+
				`{"content":`+chattest.Quote(long)+`,"status":"completed"}]}`,
			"ok",
		)...)
	return append(msgs, chattest.Says(view.Assistant, "All of it is done. "+long))
}

// A record keeps to its bound whatever is in it.
func TestRecordsKeepToTheirCap(t *testing.T) {
	const most = 16_000
	msgs := laden()
	for name, policy := range map[string]settings.Policy{
		"as it is":          {Target: 40_000},
		"with an index":     {Target: 40_000, IndexTokens: 2000, CheckCoverage: true},
		"in a small target": {Target: 3000, IndexTokens: 800, CheckCoverage: true},
		"in several": {
			Target: 40_000, IndexTokens: 2000, RecordTokens: 30_000, CheckCoverage: true,
		},
		"with pins": {
			Target: 40_000, IndexTokens: 2000, CheckCoverage: true,
			Pin: []string{"role:tool:R700007", "role:tool:R700008", "role:assistant:Step 9 is"},
		},
	} {
		_, cp := foldsAt(t, policy, msgs, 321, 641, len(msgs))
		for i := range cp.Records {
			text := strings.TrimSuffix(checkpoint.Text(cp.Records[i:i+1]), "\n")
			if len(text) > most {
				t.Errorf("%s: a record of %d bytes, at most %d are allowed", name, len(text), most)
			}
			pinned := strings.Contains(text, "Pinned by the operator: message") &&
				strings.Contains(text, "R700007")
			if len(policy.Pin) > 0 && !pinned {
				t.Errorf("%s: a pin is lost", name)
			}
		}
	}
}

// Pins that would not fit a record are refused.
func TestPinsKeepToTheirCap(t *testing.T) {
	msgs := laden()
	short := append(chattest.Exchange("get_policy", "{}", strings.Repeat("x\n", 3900)),
		chattest.Says(view.Assistant, "Read."))
	for name, c := range map[string]struct {
		pin  string
		more []string
	}{
		"pins beyond the bound": {"role:assistant:Step ", nil}, // 30 KB of them
		"pins of short lines":   {"tool:get_policy", short},
	} {
		policy := settings.Policy{
			Trigger: 60_000, Target: 40_000, Pin: []string{c.pin}, MinMaskTokens: 1 << 20,
		}.WithDefaults()
		in := slices.Concat(
			msgs[:1],
			c.more,
			msgs[1:],
			[]string{chattest.Says(view.User, "Go on.")},
		)
		v := layout.New(chattest.Request(t, chattest.Body(in)), chattest.Counter{})
		v.Split()
		h := history.New(v, nil, policy.Budget(settings.DefaultWindow, 1, plan.Prices{}), policy)
		form, _, err := Make(h, chattest.Counter{}, func([]byte) string { return "h" })
		if form != nil || !errors.Is(err, ErrPins) {
			t.Errorf("%s: %v, a form: %t", name, err, form != nil)
		}
	}
}
