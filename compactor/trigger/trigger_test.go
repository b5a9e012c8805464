package trigger

import (
	"math"
	"testing"
	"time"

	"killick/compactor/plan"
	"killick/compactor/settings"
)

// budget is one in round numbers, the way from target to trigger being 400.
var budget = settings.Budget{Trigger: 1000, Target: 600, MinGain: 50, Window: 2000}

func TestWhenAnythingIsDone(t *testing.T) {
	truncating := budget
	truncating.TruncateOver = 300
	forgetting := budget
	forgetting.Forgets = true
	for name, c := range map[string]struct {
		policy                      settings.Policy
		budget                      settings.Budget
		acts, inspect, truncate, at int
	}{
		"by rules alone": {settings.Policy{Prepare: 1}, budget, 1000, 1000, math.MaxInt, 1000},
		"with a model":   {settings.Policy{Prepare: 0.75}, budget, 900, 900, math.MaxInt, 900},
		"with outputs":   {settings.Policy{Prepare: 1}, truncating, 1000, 300, 300, 1000},
		"with a threshold for idle conversations": {
			settings.Policy{Prepare: 1}, forgetting, 800, 800, math.MaxInt, 1000,
		},
		"the model is sooner": {
			settings.Policy{Prepare: 0.25}, forgetting, 700, 700, math.MaxInt, 700,
		},
	} {
		if got := acts(c.policy, c.budget); got != c.acts {
			t.Errorf("%s: acts past %d, want %d", name, got, c.acts)
		}
		if got := Inspect(c.policy, c.budget); got != c.inspect {
			t.Errorf("%s: inspects past %d, want %d", name, got, c.inspect)
		}
		if got := Truncation(c.budget); got != c.truncate {
			t.Errorf("%s: truncates past %d, want %d", name, got, c.truncate)
		}
		if got := Prepare(c.policy, c.budget, c.budget.Trigger); got != c.at {
			t.Errorf("%s: prepares past %d, want %d", name, got, c.at)
		}
	}
}

func TestWhenARequestIsCompacted(t *testing.T) {
	for _, c := range []struct {
		name string
		next int
		cold bool
		want int
	}{
		{"without a form", 0, false, 1000},
		{"a form that reached the target", 800, false, 1000},
		{"one that did not", 1300, false, 1300},
		{"one that is larger than the window", 2500, false, 2000},
		{"after it was idle", 0, true, 800},
		{"whatever the form", 1300, true, 800},
	} {
		if got := Compact(budget, c.next, c.cold); got != c.want {
			t.Errorf("%s: past %d, want %d", c.name, got, c.want)
		}
	}
	if Overflow(budget, 2000) || !Overflow(budget, 2001) {
		t.Error("a request overflows past the window and not before")
	}
}

// Thresholds that were derived from prices follow from the present form; a cliff of the price comes
// first, until the conversation is past it.
func TestWhenPricesDecide(t *testing.T) {
	derived := budget
	derived.Derived = true
	cliff := budget
	cliff.Prices.Cliff.Above = 900
	for name, c := range map[string]struct {
		budget settings.Budget
		next   int
		cold   bool
		want   int
	}{
		"derived, without a form":    {derived, 0, false, 1000},
		"derived, in a small form":   {derived, 700, false, 700},
		"derived, past the window":   {derived, 2500, false, 2000},
		"derived, after it was idle": {derived, 0, true, 650}, // an eighth of the way
		"before the cliff":           {cliff, 0, false, 900},
		"at the cliff":               {cliff, 900, false, 900},
		"past the cliff":             {cliff, 901, false, 1000},
	} {
		if got := Compact(c.budget, c.next, c.cold); got != c.want {
			t.Errorf("%s: past %d, want %d", name, got, c.want)
		}
	}
	narrow := derived
	narrow.MinGain = 70
	if got := Idle(narrow); got != 670 {
		t.Errorf("after it was idle past %d, want the least gain above the target", got)
	}
	derived.Prices = plan.Prices{Cached: plan.Fresh / 10, Write: plan.Fresh}
	if got := Next(derived, 600, 200, 20); got != 600+plan.Interval(derived.Prices, 200, 20) {
		t.Errorf("the next form past %d", got)
	}
	if got := Next(derived, 600, 0, 0); got != 650 {
		t.Errorf("a form that wrote nothing: the next past %d, want the least gain more", got)
	}
	if got := Next(settings.Budget{Derived: true}, 600, 0, 0); got != 601 {
		t.Errorf("without a least gain the next past %d", got)
	}
}

func TestWhatAWarmConversationMayReach(t *testing.T) {
	forgetting := budget
	forgetting.Forgets = true
	truncating := forgetting
	truncating.TruncateOver, truncating.TruncateAfter = 300, 700
	if got := Truncation(truncating); got != 700 {
		t.Errorf("truncates past %d, want past short conversations", got)
	}
	for name, c := range map[string]struct {
		prepare float64
		budget  settings.Budget
		want    int
	}{
		"nothing before the trigger": {1, forgetting, 1000},
		"a summary is prepared":      {0.75, forgetting, 900},
		"an output is truncated":     {1, truncating, 700},
	} {
		if got := Warm(settings.Policy{Prepare: c.prepare}, c.budget); got != c.want {
			t.Errorf("%s: past %d, want %d", name, got, c.want)
		}
	}
}

func TestWhenTheNextFormIsTried(t *testing.T) {
	gain := budget
	gain.MinGain = 500
	for name, c := range map[string]struct {
		budget     settings.Budget
		step       int
		next, than int // after a form of this many tokens
		again      int // a model is asked, if it was at 5000
	}{
		"the target was reached": {budget, 200, 1000, 600, 5100},
		"it was not":             {budget, 200, 1150, 950, 5100},
		"no less than the gain":  {gain, 500, 1450, 950, 5250},
		"an empty budget":        {settings.Budget{}, 1, 1, 0, 5001},
	} {
		if got := step(c.budget); got != c.step {
			t.Errorf("%s: a step of %d, want %d", name, got, c.step)
		}
		if got := Next(c.budget, c.than, 0, 0); got != c.next {
			t.Errorf("%s: next past %d, want %d", name, got, c.next)
		}
		if got := PrepareAgain(c.budget, 5000); got != c.again {
			t.Errorf("%s: asked again past %d, want %d", name, got, c.again)
		}
	}
	for tried, want := range map[int]int{0: 50, 80: 130, 400: 450, 800: 900, 8000: 9000} {
		if got := Retry(budget, tried); got != want {
			t.Errorf("tried at %d, again at %d, want %d", tried, got, want)
		}
	}
	if got := ForWindow(budget); got != 1400 {
		t.Errorf("for the window from %d on, want 1400", got)
	}
}

// What attempts cost grows with what can be folded and not with its square: the sum of
// what they read is a bounded multiple of the last.
func TestRetriesAreFew(t *testing.T) {
	tries, read, tried := 0, 0, 0
	for foldable := range 1_000_000 {
		if foldable >= Retry(budget, tried) {
			tries, read, tried = tries+1, read+foldable, foldable
		}
	}
	if tries > 90 || read > 10*tried {
		t.Errorf("%d attempts that read %d tokens, the last %d", tries, read, tried)
	}
}

// What the provider is known to keep counts unless the operator says otherwise; what a request asks
// for counts where it is longer.
func TestHowLongAConversationMustBeIdle(t *testing.T) {
	known := settings.Costs{
		Lifetime: 5 * time.Minute, Longer: settings.Retention{Lifetime: time.Hour, Write: 20_000},
	}
	for _, c := range []struct {
		name  string
		after time.Duration // idle_after
		costs settings.Costs
		asked time.Duration
		want  time.Duration
	}{
		{"nothing is known", 0, settings.Costs{}, 0, 0},
		{"the provider's", 0, known, 0, 5 * time.Minute},
		{"what is asked for", 0, known, time.Hour, time.Hour},
		{"less is asked for", 0, known, time.Minute, 5 * time.Minute},
		{"asked for, of a provider that states none", 0, settings.Costs{}, 24 * time.Hour, 0},
		{"the operator's", time.Hour, known, 0, time.Hour},
		{"the operator's, and more is asked for", time.Hour, known, 24 * time.Hour, 24 * time.Hour},
		{"never", -1, known, time.Hour, 0},
	} {
		got := Lifetime(settings.Policy{IdleAfter: c.after}, c.costs, c.asked)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := known.For(time.Hour); got.Write != 20_000 {
		t.Errorf("what is cached for longer is written at %d", got.Write)
	}
}

func TestWhatTheLengthOfABodyReveals(t *testing.T) {
	for _, c := range []struct {
		bytes         int
		fits, exceeds bool
	}{
		{0, true, false}, {1000, true, false}, {1001, false, false}, {6005, false, false},
		{6006, false, true},
	} {
		if Fits(c.bytes, 1000) != c.fits || Exceeds(c.bytes, 1000) != c.exceeds {
			t.Errorf("%d bytes: fits %t, exceeds %t", c.bytes, !c.fits, !c.exceeds)
		}
	}
}

func TestThresholdsOfAllModels(t *testing.T) {
	policy := settings.Policy{
		Trigger: 0.5, Target: 0.25,
		Windows: map[string]settings.Window{
			"tiny": {Tokens: 1000, Reserve: 100}, "huge": {Tokens: 10_000_000, Reserve: 100},
		},
	}.WithDefaults()
	// 0.25+0.75×0.25 of 1000, and of 10,000,000.
	if least, most := Range(policy, false); least != 437 || most != 4_375_000 {
		t.Errorf("something is done past %d to %d", least, most)
	}
	rules, truncating, own := policy, policy, policy
	rules.Prepare = 1
	if least, most := Range(rules, false); least != 500 || most != 5_000_000 {
		t.Errorf("without a model something is done past %d to %d", least, most)
	}
	// 0.25+0.5×0.25 of 1000
	if least, most := Range(policy, true); least != 375 || most != 4_375_000 {
		t.Errorf("where providers forget something is done past %d to %d", least, most)
	}
	truncating.TruncateOver = 300
	if least, _ := Range(truncating, false); least != 300 {
		t.Errorf("outputs may be truncated past %d, want 300", least)
	}
	own.Own = func(_ string, p settings.Policy) settings.Policy { return p }
	if least, most := Range(own, false); least != 0 || most != math.MaxInt {
		t.Errorf(
			"whatever a model's own settings are, something is done past %d to %d",
			least,
			most,
		)
	}
}
