package trigger_test

import (
	"fmt"

	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/compactor/trigger"
)

// What happens to a conversation as it grows, in tokens.
func Example() {
	policy := settings.Policy{Trigger: 60_000, Target: 30_000, TruncateOver: 4000}.WithDefaults()
	b := policy.Budget(settings.Window{Tokens: 128_000, Reserve: 8000}, 1, plan.Prices{})
	fmt.Println("an output is truncated past", trigger.Truncation(b))
	fmt.Println("a model writes past", trigger.Prepare(policy, b, trigger.Compact(b, 0, false)))
	fmt.Println("masked or folded past", trigger.Compact(b, 0, false))
	fmt.Println("after it was idle past", trigger.Compact(b, 0, true))
	next := trigger.Next(b, 52_000, 0, 0) // the form came to more than the target
	fmt.Println("and again past", trigger.Compact(b, next, false))
	fmt.Println("it does not fit past", b.Window, trigger.Overflow(b, b.Window+1))
	// Output:
	// an output is truncated past 4000
	// a model writes past 52500
	// masked or folded past 60000
	// after it was idle past 45000
	// and again past 67000
	// it does not fit past 120000 true
}
