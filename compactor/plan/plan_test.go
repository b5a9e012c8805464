package plan

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAPlanIsOneReadableLine(t *testing.T) {
	p := Plan{
		At: 57, Size: 21340, Limit: 20000, Outlook: Outlook{Turns: 28}, Chosen: Fold,
		Cache: Cache{Preamble: 4000},
		Options: []Option{
			{Outcome: Stay, After: 21340, PerTurn: 2134},
			{Outcome: Mask, After: 14210, Rewritten: 6032, Loss: 210, PerTurn: 1719},
			{Outcome: Fold, After: 5120, Rewritten: 4010, Loss: 640, PerTurn: 728},
		},
	}
	want := "at 57 messages, 21340 tokens over 20000, 28 more turns expected; " +
		"p 0.1, w 1 (assumed), 4000 preamble: stay 2134 a turn (21340 tokens); " +
		"mask 1719 a turn (14210 tokens, 6032 rewritten, 210 lost); " +
		"fold 728 a turn (5120 tokens, 4010 rewritten, 640 lost) -> summary"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The line has the prices of input and the facts about the provider's cache.
func TestAPlanSaysWhatItKnowsOfPricesAndTheCache(t *testing.T) {
	dear := Prices{Cached: Fresh / 20, Write: Fresh * 5 / 4, Output: 5 * Fresh,
		Cliff: Cliff{Above: 272_000, Factor: 2 * Fresh}}
	const priced = "p 0.05, w 1.25, output 5, ×2 above 272000 tokens, 41500 preamble"
	idle := Cache{Preamble: 41_500, Lifetime: 5 * time.Minute, Seen: true,
		Idle: 3*time.Hour + 20*time.Second}
	changed := Cache{Preamble: 41_500, Lifetime: time.Hour, Seen: true, Changed: true,
		Idle: 90 * time.Second}
	for _, c := range []struct {
		cold  bool
		cache Cache
		want  string
	}{
		{false, Cache{Preamble: 41_500}, priced + ": stay"},
		{true, idle, priced +
			", cached for 5m, idle for 3h0m20s, nothing cached (idle for longer): "},
		{true, changed, priced + ", cached for 1h, idle for 1m30s, nothing cached (other " +
			"instructions, tools or model): "},
	} {
		p := Plan{Outlook: NewOutlook(28, c.cold, dear), Cache: c.cache}
		p.Start()
		if got := p.String(); !strings.Contains(got, c.want) {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// The steps of a decision follow from the sizes of what is offered.
func TestSteps(t *testing.T) {
	small := &Option{Outcome: Mask, After: 8_000, Rewritten: 2_000}
	little := &Option{Outcome: Mask, After: 15_000, Rewritten: 2_000}
	costly := &Option{Outcome: Mask, After: 19_000, Rewritten: 19_000, Loss: 20_000}
	costlySmall := &Option{Outcome: Mask, After: 8_000, Rewritten: 8_000, Loss: 200_000}
	fitting := &Option{Outcome: Mask, After: 18_000, Rewritten: 2_000}
	tooLarge := &Option{Outcome: Mask, After: 18_001, Rewritten: 2_000}
	fold := &Option{Outcome: Fold, After: 6_000, Rewritten: 5_000}
	useless := &Option{Outcome: Fold, After: 19_900, Rewritten: 19_000}
	for name, c := range map[string]struct {
		window   int
		reach    bool
		masks    *Option
		fold     *Option // nil: rejected
		rejected string
		unproven *Option
		want     []Step
	}{
		"masks that reach the target are used at once": {
			reach: true, masks: small, want: []Step{MakeMasks, UseMasks}},
		"masks that do not reach it wait for the fold": {
			reach: true, masks: little, fold: fold, want: []Step{MakeMasks, MakeFold, UseFold}},
		"without a chance to reach it the fold is first": {
			fold: fold, want: []Step{MakeFold, UseFold}},
		"nor do masks that reach it at too high a price": {
			reach: true, masks: costlySmall, fold: fold,
			want: []Step{MakeMasks, MakeFold, UseFold}},
		"masks are second best": {
			masks: little, fold: useless, want: []Step{MakeFold, MakeMasks, UseMasks}},
		"nothing pays": {
			masks: costly, fold: useless, want: []Step{MakeFold, MakeMasks, Keep}},
		"nothing can be made": {
			rejected: Stay, want: []Step{MakeFold, MakeMasks, Keep}},
		"a rejected fold leaves room for masks": {
			rejected: RejectedCoverage, unproven: fold, masks: little,
			want: []Step{MakeFold, MakeMasks, UseMasks}},
		"within the window a rejected fold is not used": {
			window: 20_000, rejected: RejectedCoverage, unproven: fold, masks: costly,
			want: []Step{MakeFold, MakeMasks, Keep}},
		"past the window a rejected fold is better than no answer": {
			window: 18_000, rejected: RejectedCoverage, unproven: fold, masks: costly,
			want: []Step{MakeFold, MakeMasks, UseUnproven}},
		"not where masks bring the request under the window": {
			window: 18_000, rejected: RejectedCoverage, unproven: fold, masks: little,
			want: []Step{MakeFold, MakeMasks, UseMasks}},
		"nor where masks just fit it": {
			window: 18_000, rejected: RejectedCoverage, unproven: fold, masks: fitting,
			want: []Step{MakeFold, MakeMasks, UseMasks}},
		"masks that do not fit it are worse": {
			window: 18_000, rejected: RejectedCoverage, unproven: fold, masks: tooLarge,
			want: []Step{MakeFold, MakeMasks, UseUnproven}},
		"a rejected fold must fit the window itself": {
			window: 18_000, rejected: RejectedCoverage, unproven: useless, masks: costly,
			want: []Step{MakeFold, MakeMasks, UseUnproven, UseMasks}},
		"and save enough": {
			window: 19_900, rejected: RejectedCoverage, unproven: useless,
			want: []Step{MakeFold, MakeMasks, UseUnproven, Keep}},
		"past the window a form need not be cheaper": {
			window: 18_000, masks: costly, rejected: RejectedPins,
			want: []Step{MakeFold, MakeMasks, UseMasks}},
	} {
		if c.window == 0 {
			c.window = 100_000
		}
		p := Plan{
			Size: 20_000, Limit: 16_000, MasksReach: c.reach,
			Outlook: NewOutlook(10, false, Prices{}),
			Bounds:  Bounds{Window: c.window, Target: 8_000, MinGain: 800},
		}
		p.Start()
		var got []Step
		for len(got) < 10 {
			step := p.Next()
			got = append(got, step)
			switch step {
			case MakeMasks:
				p.OfferMasks(c.masks)
				continue
			case MakeFold:
				if c.fold != nil {
					p.OfferFold(*c.fold)
				} else {
					p.RejectFold(c.rejected, c.unproven)
				}
				continue
			case UseUnproven:
				if !p.Unproven() {
					continue
				}
			}
			break
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: steps %v, want %v", name, got, c.want)
		}
		if p.Chosen != c.rejected {
			t.Errorf("%s: chosen %q, want %q", name, p.Chosen, c.rejected)
		}
	}
}

// A form must save MinGain. Past the window it may cost more than the present one.
func TestUsable(t *testing.T) {
	bounds := Bounds{Window: 20_000, MinGain: 800}
	outlook := Outlook{Turns: 10}
	for _, c := range []struct {
		size, after, loss int
		want              bool
	}{
		{size: 20_000, after: 19_200, want: true},
		{size: 20_000, after: 19_201, want: false},
		{size: 20_000, after: 19_200, loss: 20_000, want: false},
		{size: 20_001, after: 19_201, loss: 20_000, want: true},
		{size: 20_001, after: 19_202, want: false},
	} {
		o := Option{Outcome: Mask, After: c.after, Loss: c.loss}
		if got := bounds.Usable(outlook, c.size, o); got != c.want {
			t.Errorf("%+v: got %t", c, got)
		}
	}
}
