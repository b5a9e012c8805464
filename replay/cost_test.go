package replay

import (
	"math"
	"reflect"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// Three requests of 1,028, 1,528 and 1,678 tokens.
//
//	raw:  1028                     nothing cached yet
//	      1528, 1028 cached      → 500 + p·1028
//	      1678, 1528 cached      → 150 + p·1528
func costStudy(t *testing.T) *Study {
	return study(t, say{},
		msg("user", "1000 a"), msg("assistant", "200 b"), msg("user", "300 c"),
		msg("assistant", "100 d"), msg("user", "50 e"), msg("assistant", "10 f"))
}

func TestCostByHand(t *testing.T) {
	f := measure(t, costStudy(t), Nothing())
	const want = 1028 + 602.8 + 302.8
	if b := f.Bills[0]; !near(b.Raw.Total(), want) || !near(b.Sent.Total(), want) ||
		b.Share() != 1 {
		t.Errorf("bill %+v, want %v", b, want)
	}
	if want := (Pair{3, 1028 + 1528 + 1678, 1028 + 1528 + 1678}); f.Tokens.All != want {
		t.Errorf("tokens %+v, want %+v", f.Tokens.All, want)
	}
	if f.Changes.Turns != 0 {
		t.Errorf("changes %+v, want none", f.Changes)
	}
}

// The first message shrinks to 500 tokens in the third request: 1,178 tokens, of which only the
// part before the messages, 28 tokens, is cached.
func TestChangedPrefixByHand(t *testing.T) {
	f := measure(t, costStudy(t), replacing(3, "1000 a", "500 a"))
	if got, want := f.Bills[0].Sent.Total(), 1028+602.8+1150+2.8; !near(got, want) {
		t.Errorf("cost %v, want %v", got, want)
	}
	// All 1,150 tokens of messages except the 150 new ones are sent again.
	want := Changes{Turns: 1, Rewritten: 1000,
		List: []Change{{Message: 5, From: 0, Rewritten: 1000}}}
	if !reflect.DeepEqual(f.Changes, want) {
		t.Errorf("changes %+v, want %+v", f.Changes, want)
	}
	if want := (Pair{3, 4234, 1028 + 1528 + 1178}); f.Tokens.All != want {
		t.Errorf("tokens %+v, want %+v", f.Tokens.All, want)
	}
}

func TestTotal(t *testing.T) {
	one, two := measure(t, costStudy(t), Nothing()),
		measure(t, costStudy(t), replacing(3, "1000 a", "500 a"))
	sum := Total([]*Figures{one, two})
	if sum.Conversations != 2 || sum.Turns != 6 ||
		!near(sum.Bills[0].Raw.Total(), 2*one.Bills[0].Raw.Total()) ||
		!near(sum.Bills[0].PlainCost(), one.Bills[0].PlainCost()+two.Bills[0].PlainCost()) ||
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
	f := measure(t, costStudy(t), asking)
	if want := (ModelUsage{6, 3000, 2700, 150, 0.03}); f.ModelUsage != want {
		t.Errorf("own calls %+v, want %+v", f.ModelUsage, want)
	}
	b := f.Bills[0]
	if want := 3 * (100 + 90 + tenth.Output*50); !near(b.ModelCalls, want) {
		t.Errorf("own calls cost %v, want %v", b.ModelCalls, want)
	}
	raw := b.Raw.Total()
	if want := (raw + b.ModelCalls) / raw; !near(b.PlainShare(), want) ||
		!near(b.Share(), want+b.Rereads/raw) {
		t.Errorf("a share of %v, with re-reads %v, want %v and re-reads", b.PlainShare(),
			b.Share(), want)
	}
	if sum := Total([]*Figures{f, f}); sum.ModelUsage.Completion != 300 ||
		!near(sum.Bills[0].ModelCalls, 2*b.ModelCalls) {
		t.Errorf("total %+v", sum)
	}
}
