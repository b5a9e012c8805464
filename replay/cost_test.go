package replay

import (
	"math"
	"reflect"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// Three requests of 1,028, 1,528 and 1,678 tokens.
//
//	raw:  1028                                          nothing cached yet
//	      1528, 1024 cached (of 1,028 sent before)    → 504 + p·1024
//	      1678, 1408 cached (of 1,528, in steps of 128) → 270 + p·1408
func costStudy(t *testing.T) *Study {
	return study(t, say{},
		msg("user", "1000 a"), msg("assistant", "200 b"), msg("user", "300 c"),
		msg("assistant", "100 d"), msg("user", "50 e"), msg("assistant", "10 f"))
}

func TestCostByHand(t *testing.T) {
	f := measure(t, costStudy(t), Nothing())
	want := []Cost{
		{Price: 0.1, Raw: 1028 + 606.4 + 410.8, Sent: 1028 + 606.4 + 410.8},
		{Price: 0.5, Raw: 1028 + 1016 + 974, Sent: 1028 + 1016 + 974},
	}
	for i, c := range f.Costs {
		if !near(c.Raw, want[i].Raw) || !near(c.Sent, want[i].Sent) || c.Share() != 1 {
			t.Errorf("cost %+v, want %+v", c, want[i])
		}
	}
	if want := (Pair{3, 1028 + 1528 + 1678, 1028 + 1528 + 1678}); f.Tokens.All != want {
		t.Errorf("tokens %+v, want %+v", f.Tokens.All, want)
	}
	if f.Changes.Turns != 0 {
		t.Errorf("changes %+v, want none", f.Changes)
	}
}

// The first message shrinks to 500 tokens in the third request: 1,178 tokens, of which only the
// part before the messages was sent before. That is too little to be cached.
func TestChangedPrefixByHand(t *testing.T) {
	f := measure(t, costStudy(t), replacing(3, "1000 a", "500 a"), 0.1)
	if want := 1028 + 606.4 + 1178; !near(f.Costs[0].Sent, want) {
		t.Errorf("cost %v, want %v", f.Costs[0].Sent, want)
	}
	// All 1,150 tokens of messages except the 150 new ones are sent again.
	want := Changes{Turns: 1, Rewritten: 1000,
		List: []Change{{Message: 5, From: 0, Rewritten: 1000, Costs: []float64{900}}}}
	if !reflect.DeepEqual(f.Changes, want) {
		t.Errorf("changes %+v, want %+v", f.Changes, want)
	}
	if want := (Pair{3, 4234, 1028 + 1528 + 1178}); f.Tokens.All != want {
		t.Errorf("tokens %+v, want %+v", f.Tokens.All, want)
	}
}

// A form that was sent before is cached, however long ago that was.
func TestPromptCacheKeepsAll(t *testing.T) {
	c := newPromptCache()
	a := &message{fingerprint: [2]uint64{1, 1}, tokens: 2000}
	b := &message{fingerprint: [2]uint64{2, 2}, tokens: 100}
	d := &message{fingerprint: [2]uint64{3, 3}, tokens: 500}
	for i, step := range []struct {
		send []*message
		want int
	}{
		{[]*message{a}, 0},
		{[]*message{a, b}, 1920}, // 2,028 in steps of 128
		{[]*message{d, b}, 0},    // 28
		{[]*message{a, b, d}, 2048},
		{[]*message{a, d}, 1920},
		{[]*message{d, b, a}, 0}, // 628 of 1,024
		{[]*message{a, d}, 2432}, // 2,528
	} {
		if got := c.send([]byte("tools"), 28, step.send); got != step.want {
			t.Errorf("request %d: %d tokens cached, want %d", i, got, step.want)
		}
	}
	if got := c.send([]byte("other tools"), 28, []*message{a}); got != 0 {
		t.Errorf("after other tools %d tokens cached, want 0", got)
	}
}

func TestTotal(t *testing.T) {
	one, two := measure(t, costStudy(t), Nothing(), 0.1),
		measure(t, costStudy(t), replacing(3, "1000 a", "500 a"), 0.1)
	sum := Total([]*Figures{one, two})
	if sum.Conversations != 2 || sum.Turns != 6 || !near(sum.Costs[0].Raw, 2*one.Costs[0].Raw) ||
		!near(sum.Costs[0].Sent, one.Costs[0].Sent+two.Costs[0].Sent) ||
		sum.Changes.Turns != 1 || len(sum.elapsed) != 6 || sum.Tokens.All.Turns != 6 {
		t.Errorf("total %+v of %+v and %+v", sum, one, two)
	}
}

// A strategy's own calls to models are part of its cost.
func TestOwnCalls(t *testing.T) {
	asking := Strategy{Name: "asking", Open: func(Clock) (Forwarder, func() error, error) {
		return func(body []byte) Forwarded {
			return Forwarded{Body: body,
				ModelUsage: ModelUsage{
					Calls: 2, Prompt: 1000, Cached: 900, Completion: 50, Dollars: 0.01}}
		}, func() error { return nil }, nil
	}}
	f := measure(t, costStudy(t), asking, 0.1)
	if want := (ModelUsage{6, 3000, 2700, 150, 0.03}); f.ModelUsage != want {
		t.Errorf("own calls %+v, want %+v", f.ModelUsage, want)
	}
	c := f.Costs[0]
	if want := 3 * (100 + 90 + OwnOutputPrice*50.0); !near(c.ModelCalls, want) {
		t.Errorf("own calls cost %v, want %v", c.ModelCalls, want)
	}
	if want := (c.Raw + c.ModelCalls) / c.Raw; !near(c.Share(), want) ||
		!near(c.WithRereads(), want+c.Rereads/c.Raw) {
		t.Errorf("a share of %v, with re-reads %v, want %v and re-reads", c.Share(),
			c.WithRereads(), want)
	}
	if sum := Total([]*Figures{f, f}); sum.ModelUsage.Completion != 300 ||
		!near(sum.Costs[0].ModelCalls, 2*c.ModelCalls) {
		t.Errorf("total %+v", sum)
	}
}
