package tokenizer

import (
	"math"
	"math/rand/v2"
	"testing"

	"killick/tokenizer/internal/corpus"
)

// spreads are ways in which numbers of a mean between 0 and 1 may lie.
var spreads = map[string]func(r *rand.Rand, mean float64) float64{
	"all alike": func(_ *rand.Rand, mean float64) float64 { return mean },
	"evenly":    func(r *rand.Rand, mean float64) float64 { return 2 * mean * r.Float64() },
	"none or all": func(r *rand.Rand, mean float64) float64 {
		if r.Float64() < mean {
			return 1
		}
		return 0
	},
	"rarely far above": func(r *rand.Rand, mean float64) float64 {
		if r.Float64() < 0.01 {
			return min(1, mean+0.5)
		}
		return mean - 0.01/0.99*min(1-mean, 0.5)
	},
}

// TestBetIsRarelyWrong: where the mean is the limit, a bet is won no more often than
// it may be, at whichever of its numbers that is asked.
func TestBetIsRarelyWrong(t *testing.T) {
	corpus.Sequential(t)
	const bets, numbers, doubt = 2000, 2000, 0.02
	for name, spread := range spreads {
		for _, mean := range []float64{0.02, 0.2, 0.45} {
			r := rand.New(rand.NewPCG(uint64(1000*mean), 11))
			won := 0
			for range bets {
				b := newBet(mean)
				for range numbers {
					b.add(spread(r, mean))
					if b.won(doubt) {
						won++
						break
					}
				}
			}
			// Four standard deviations more than so many, were each as likely as it may be.
			if most := bets*doubt + 4*math.Sqrt(bets*doubt); float64(won) > most {
				t.Errorf("%s, mean %v: %d of %d bets are won, want at most %.0f",
					name, mean, won, bets, most)
			}
		}
	}
}

// TestBetIsWon: where the mean is well below the limit, a bet is won, and soon.
func TestBetIsWon(t *testing.T) {
	for name, spread := range spreads {
		r := rand.New(rand.NewPCG(3, 11))
		for range 50 {
			b := newBet(0.3)
			for b.n < 1000 && !b.won(1e-6) {
				b.add(spread(r, 0.15))
			}
			if !b.won(1e-6) {
				t.Errorf("%s: not won after %d numbers, the capital is %g", name, b.n, b.capital)
			}
		}
	}
}
