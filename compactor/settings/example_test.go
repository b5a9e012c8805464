package settings_test

import (
	"fmt"

	"killick/compaction"
	"killick/compactor/plan"
	"killick/compactor/settings"
)

// Settings are converted to tokens for a model whose window is known. Fractions are of the window.
func ExamplePolicy_Budget() {
	policy := settings.Policy{Trigger: 0.6, Target: 0.35}.WithDefaults()
	for _, model := range []string{"gpt-4o", "gpt-4", "of-our-own"} {
		b := policy.Budget(settings.WindowOf(model, policy.Windows), 1, plan.Prices{})
		fmt.Printf("%s: past %d, to %d, saving %d at least\n",
			model, b.Trigger, b.Target, b.MinGain)
	}
	// Output:
	// gpt-4o: past 76800, to 44800, saving 3840 at least
	// gpt-4: past 4915, to 2867, saving 245 at least
	// of-our-own: past 76800, to 44800, saving 3840 at least
}

// An upstream refused 30,000 of our tokens and stated its window. From then on requests
// are fitted to that.
func ExampleLearned_After() {
	refusal := compaction.Overflow{Window: 16_384, Prompt: 33_000, Sent: 30_000, Try: 1}
	learned, ok := settings.Learned{}.After(refusal, 1)
	fmt.Println(ok, learned.Window, learned.Ratio)
	policy := settings.Policy{}.WithDefaults()
	fmt.Println(policy.Fit(settings.DefaultWindow, 1, learned, 0, plan.Prices{}).Trigger)
	// Output:
	// true 16384 1.1
	// 9830
}
