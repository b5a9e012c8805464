package settings

import (
	"math"
	"testing"
	"time"

	"killick/compactor/plan"
)

func TestBudgets(t *testing.T) {
	policy := Policy{Trigger: 50_000, Target: 20_000, MinGain: 0.1}
	for name, c := range map[string]struct {
		w     Window
		ratio float64
		want  Budget
	}{
		"a window with room for all": {
			Window{100_000, 10_000}, 1,
			Budget{Trigger: 50_000, Target: 20_000, MinGain: 5000, Window: 90_000},
		},
		"a ratio below one counts as one": {
			Window{100_000, 10_000}, 0.5,
			Budget{Trigger: 50_000, Target: 20_000, MinGain: 5000, Window: 90_000},
		},
		"a ratio is rounded up to tenths": {
			Window{100_000, 10_000}, 1.11,
			Budget{Trigger: 50_000, Target: 20_000, MinGain: 5000, Window: 75_000},
		},
		"and a tenth stays one": {
			Window{100_000, 10_000}, 1.2,
			Budget{Trigger: 50_000, Target: 20_000, MinGain: 5000, Window: 75_000},
		},
		"a window that lowers the trigger lowers the target in proportion": {
			Window{30_000, 5000}, 1,
			Budget{Trigger: 25_000, Target: 10_000, MinGain: 2500, Window: 25_000},
		},
	} {
		if got := policy.Budget(c.w, c.ratio, plan.Prices{}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
	close := Policy{Trigger: 50_000, Target: 49_000}
	if got := close.Budget(Window{100_000, 10_000}, 1, plan.Prices{}).Target; got != 45_000 {
		t.Errorf("a target is at most nine tenths of the trigger, got %d of 50,000", got)
	}
}

// In a short conversation no output is truncated, but half a window is not short.
func TestWhereTruncationBegins(t *testing.T) {
	policy := Policy{Auto: true, Target: AutoTarget, TruncateOver: 500}
	dear := plan.Prices{Cached: plan.Fresh / 2, Write: plan.Fresh}
	for window, want := range map[int]int{100_000: shortTurns, 16_000: 8000, 15_000: 7500} {
		if got := policy.Budget(Window{window, 0}, 1, dear).TruncateAfter; got != want {
			t.Errorf("in a window of %d: after %d, want %d", window, got, want)
		}
	}
}

// What is derived is for the turns; a window is for all.
func TestBesideTheFixedPart(t *testing.T) {
	b := Budget{Trigger: 5000, Target: 2000, Window: 20_000, Derived: true}
	for fixed, want := range map[int]Budget{
		0:      {Trigger: 5000, Target: 2000, Window: 20_000, Derived: true},
		4000:   {Trigger: 9000, Target: 6000, Window: 20_000, Derived: true, Preamble: 4000},
		18_000: {Trigger: 20_000, Target: 18_000, Window: 20_000, Derived: true, Preamble: 18_000},
	} {
		if got := b.Beside(fixed); got != want {
			t.Errorf("beside %d: got %+v, want %+v", fixed, got, want)
		}
	}
	if got := (Budget{Derived: true, Window: -5}).Beside(3); got.Trigger != 1 {
		t.Errorf("without a window the trigger is %d, want the least", got.Trigger)
	}
}

// A chat in which nothing can be read again keeps more of its turns, unless the window is small.
func TestOfChat(t *testing.T) {
	prices := plan.Prices{Cached: 500, Write: 12_500} // p = .05, w = 1.25
	for window, want := range map[int]struct{ trigger, target int }{
		400_000: {37_474, 16_100}, 40_000: {26_997, 10_100}, 9_000: {9_000, 2_350},
		7_000: {5_000, 2_100},
	} {
		b := Budget{Trigger: 5000, Target: 2100, Window: window, Derived: true, Preamble: 100,
			Prices: prices}
		if got := b.OfChat(); got.Trigger != want.trigger || got.Target != want.target {
			t.Errorf("in a window of %d: %d to %d, want %d to %d", window, got.Trigger, got.Target,
				want.trigger, want.target)
		}
	}
}

func TestRooms(t *testing.T) {
	unlimited := Policy{RecordTokens: math.MaxInt, IndexTokens: math.MaxInt,
		WorkingSetTokens: math.MaxInt, SummaryBytes: math.MaxInt}
	limited := Policy{RecordTokens: 1, IndexTokens: 2, WorkingSetTokens: 3, SummaryBytes: 4}
	b := Budget{Trigger: 9000, Target: 5000, Preamble: 1000}
	type rooms struct{ record, index, working, summary int }
	of := func(p Policy, b Budget) rooms {
		return rooms{p.RecordRoom(b), p.IndexRoom(b), p.WorkingSetRoom(b), p.SummaryRoom(b)}
	}
	for _, c := range []struct {
		p    Policy
		b    Budget
		want rooms
	}{
		{unlimited, b, rooms{2000, 1000, 1000, 6000}},
		{limited, b, rooms{1, 2, 3, 4}},
		{unlimited, Budget{Target: 500, Preamble: 400}, rooms{-250, -125, -125, 800}},
	} {
		if got := of(c.p, c.b); got != c.want {
			t.Errorf("%+v leaves %+v, want %+v", c.b, got, c.want)
		}
	}
}

// A guess after a refusal halves what was refused, whatever the upstream says of its window.
func TestHalved(t *testing.T) {
	b := Budget{Trigger: 50_000, Target: 20_000, MinGain: 2500, Window: 90_000, Derived: true}
	for sent, want := range map[int]Budget{
		200_000: {Trigger: 50_000, Target: 20_000, MinGain: 2500, Window: 90_000},
		20_000:  {Trigger: 15_000, Target: 10_000, MinGain: 1000, Window: 15_000},
	} {
		if got := b.Halved(sent); got != want {
			t.Errorf("%d were refused: got %+v, want %+v", sent, got, want)
		}
	}
}

// After a refusal, outputs are truncated from the smaller of two sizes on.
func TestTruncationAfterARefusal(t *testing.T) {
	for _, c := range []struct{ own, learned, over, after int }{
		{0, 0, 0, shortTurns}, {4000, 0, 4000, shortTurns}, {0, 900, 900, 0}, {4000, 900, 900, 0},
		{900, 4000, 900, shortTurns}, {900, 900, 900, shortTurns},
	} {
		p := Policy{Auto: true, Target: AutoTarget, TruncateOver: c.own}
		b := p.Fit(Window{90_000, 0}, 1, Learned{TruncateOver: c.learned}, 0,
			plan.Prices{Cached: plan.Fresh, Write: plan.Fresh})
		if b.TruncateOver != c.over || b.TruncateAfter != c.after {
			t.Errorf("%+v: over %d after %d", c, b.TruncateOver, b.TruncateAfter)
		}
	}
}

func TestCostsOfWhatARequestAsksFor(t *testing.T) {
	short := Costs{Prices: plan.Prices{Write: 12_500}, Lifetime: 5 * time.Minute}
	both := short
	both.Longer = Retention{Lifetime: time.Hour, Write: 20_000}
	for _, c := range []struct {
		name  string
		costs Costs
		asked time.Duration
		lasts time.Duration
		write int
	}{
		{"nothing", both, 0, 5 * time.Minute, 12_500},
		{"as long as without", both, 5 * time.Minute, 5 * time.Minute, 12_500},
		{"longer", both, time.Hour, time.Hour, 20_000},
		{"longer than is known", short, time.Hour, time.Hour, 12_500},
		{"of a provider with nothing but the longer one",
			Costs{Longer: both.Longer}, time.Hour, time.Hour, 20_000},
		{"of a provider whose lifetimes are not known", Costs{}, time.Hour, 0, 0},
	} {
		if got := c.costs.For(c.asked); got.Lifetime != c.lasts || got.Write != c.write {
			t.Errorf("%s: %s at %d, want %s at %d", c.name, got.Lifetime, got.Write, c.lasts,
				c.write)
		}
	}
}

func TestDefaultsOfAWindow(t *testing.T) {
	for _, c := range []struct{ set, want Window }{
		{Window{}, DefaultWindow},
		{Window{Tokens: 8000}, Window{8000, 1000}},
		{Window{Tokens: 8000, Reserve: 7}, Window{8000, 7}},
		{Window{Reserve: 7}, Window{DefaultWindow.Tokens, 7}},
		{Window{Tokens: 1_000_000}, Window{1_000_000, DefaultWindow.Reserve}},
	} {
		if got := c.set.OrDefault(); got != c.want {
			t.Errorf("%+v: got %+v, want %+v", c.set, got, c.want)
		}
	}
	own := map[string]Window{"gpt-4o": {Tokens: 8000}}
	if got := WindowOf("gpt-4o", own); got != (Window{8000, 1000}) {
		t.Errorf("the operator's window is %+v", got)
	}
	if got := WindowOf("ft:gpt-4:of:us", nil); got != KnownWindows["gpt-4"] {
		t.Errorf("a fine-tune of gpt-4 has the window %+v", got)
	}
}
