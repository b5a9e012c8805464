package settings

import (
	"testing"

	"killick/compactor/plan"
)

// What is derived from prices is for the turns: instructions and tools come on top of it, as far
// as the window goes.
func TestDerivedThresholds(t *testing.T) {
	policy := Policy{Auto: true, TruncateOver: 2000}.WithDefaults()
	large := Window{Tokens: 1_000_000, Reserve: 32_000}
	dear := policy.Budget(large, 1, plan.Prices{Cached: 2500, Write: 10_000})
	cheap := policy.Budget(large, 1, plan.Prices{Cached: 250, Write: 12_500})
	if dear.Target != AutoTarget || cheap.Target != AutoTarget || dear.Trigger >= cheap.Trigger {
		t.Errorf("where cached input is dear %d to %d, where it is cheap %d to %d",
			dear.Trigger, dear.Target, cheap.Trigger, cheap.Target)
	}
	if cheap.TruncateAfter != cheap.Trigger {
		t.Errorf("outputs are truncated after %d tokens, compacted after %d",
			cheap.TruncateAfter, cheap.Trigger)
	}
	if dear.TruncateAfter != shortTurns {
		t.Errorf("outputs of short conversations are truncated after %d tokens", dear.TruncateAfter)
	}
	beside := cheap.Beside(40_000)
	if beside.Trigger != cheap.Trigger+40_000 || beside.Turns() != AutoTarget {
		t.Errorf("beside 40,000 tokens: past %d, %d for the turns", beside.Trigger, beside.Turns())
	}
	if again := beside.Beside(40_000); again != beside {
		t.Errorf("counted twice: %+v", again)
	}
	small := policy.Budget(Window{Tokens: 8000, Reserve: 1000}, 1, plan.Prices{}).Beside(5000)
	if small.Trigger > small.Window || small.Target >= small.Trigger {
		t.Errorf("in a window of %d: past %d to %d", small.Window, small.Trigger, small.Target)
	}
	fixed := Policy{Trigger: 20_000, Target: 8000}.WithDefaults().Budget(large, 1, plan.Prices{})
	if fixed.Beside(40_000) != fixed || fixed.Turns() != 8000 {
		t.Errorf("what the operator set is changed: %+v", fixed.Beside(40_000))
	}
}
