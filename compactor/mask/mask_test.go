package mask

import (
	"fmt"
	"strings"
	"testing"

	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// Whether masks reach the target follows from the form that they make, but fewer placeholders are
// written where they do not.
func TestMasksReachTheTarget(t *testing.T) {
	msgs := []string{chattest.Says(view.User, "Mend the oven of the bakery in the harbour.")}
	for i := range 20 {
		msgs = append(msgs, chattest.Exchange("list_ovens", chattest.Object("at", fmt.Sprint(i)),
			strings.Repeat(fmt.Sprintf("part %d of the oven is warm. ", i), 40))...)
	}
	msgs = append(msgs, chattest.Says(view.Assistant, "Done."), chattest.Says(view.User, "Go on."))
	early, reached := 0, 0
	for target := 200; target < 6000; target += 100 {
		at := func() (h *history.History, size int, refOf func([]byte) string, refs *int) {
			v := layout.New(chattest.Request(t, chattest.Body(msgs)), chattest.Counter{})
			v.Split()
			policy := settings.Policy{Trigger: 8000, Target: settings.Size(target)}.WithDefaults()
			budget := policy.Budget(settings.DefaultWindow, 1, plan.Prices{})
			h, refs = history.New(v, nil, budget, policy), new(int)
			return h, v.Total(), func([]byte) string { *refs++; return "k7q2" }, refs
		}
		h, size, refOf, refs := at()
		got := Reach(h, size, chattest.Counter{}, refOf)
		whole, _, wholeRefOf, wholeRefs := at()
		_, after, _ := Outputs(whole, chattest.Counter{}, wholeRefOf)
		if want := after <= h.Budget.Target; got != want {
			t.Errorf("target %d: masks reach it %t, want %t: they leave %d tokens", target, got,
				want, after)
		}
		if *refs > *wholeRefs || got && *refs != *wholeRefs {
			t.Errorf("target %d: %d placeholders, %d are needed", target, *refs, *wholeRefs)
		}
		if got {
			reached++
		} else if 0 < *refs && *refs < *wholeRefs {
			early++
		}
	}
	if early < 2 || reached < 2 {
		t.Errorf("the target is reached %d times, and missed early %d times", reached, early)
	}
}
