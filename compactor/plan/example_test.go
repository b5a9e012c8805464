package plan_test

import (
	"fmt"
	"strings"

	"killick/compactor/plan"
)

// A conversation of 21,340 tokens has outgrown its form. The caller makes what the plan
// asks for, and carries out what it ends in.
func Example() {
	p := plan.Plan{
		At: 57, Size: 21_340, Limit: 20_000,
		Bounds:     plan.Bounds{Window: 128_000, Target: 12_000, MinGain: 1000},
		Outlook:    plan.NewOutlook(28, false, plan.Prices{}),
		Cache:      plan.Cache{Preamble: 4100},
		MasksReach: true,
	}
	p.Start()
	for {
		switch step := p.Next(); step {
		case plan.MakeMasks:
			fmt.Println("make masks")
			p.OfferMasks(&plan.Option{
				Outcome: plan.Mask, After: 14_210, Rewritten: 6032, Loss: 210,
			})
			continue
		case plan.MakeFold:
			fmt.Println("make a fold")
			p.OfferFold(plan.Option{
				Outcome: plan.Fold, After: 5120, Rewritten: 4010, Loss: 640,
			})
			continue
		case plan.UseFold:
			p.Chosen = plan.Fold
		}
		break
	}
	fmt.Println(strings.NewReplacer(": ", ":\n", "; ", "\n", " -> ", "\n-> ").Replace(p.String()))
	// Output:
	// make masks
	// make a fold
	// at 57 messages, 21340 tokens over 20000, 28 more turns expected
	// p 0.1, w 1 (assumed), 4100 preamble:
	// stay 2594 a turn (21340 tokens)
	// mask 2030 a turn (14210 tokens, 6032 rewritten, 210 lost)
	// fold 850 a turn (5120 tokens, 4010 rewritten, 640 lost)
	// -> summary
}
