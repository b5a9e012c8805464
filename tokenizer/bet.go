package tokenizer

// bet tests whether the mean of numbers between 0 and 1 is below a limit, from a sequence of random
// draws. It bets on that with a capital of one, at odds that are fair if the mean is the limit. If
// the mean is the limit or above, the probability that the capital ever exceeds 1/doubt is at most
// doubt (Ville's inequality), whatever the distribution and however often it is checked.
//
// Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
// betting", Journal of the Royal Statistical Society B 86 (2024), section 4.
type bet struct {
	limit   float64
	capital float64
	n       int
	sum     float64
	squares float64
}

const (
	// firstStakes is the number of draws before the first stake.
	firstStakes = 16
	// maxStake is the largest share of the capital that one number may cost.
	maxStake = 0.8
)

func newBet(limit float64) bet { return bet{limit: limit, capital: 1} }

// add takes the next number. The stake depends only on the ones before.
func (b *bet) add(x float64) {
	if b.n >= firstStakes {
		mean, variance := b.moments()
		room := b.limit - mean
		stake := min(room/(variance+room*room), maxStake/(1-b.limit))
		b.capital *= 1 + max(stake, 0)*(b.limit-x)
	}
	b.n++
	b.sum += x
	b.squares += x * x
}

// moments returns the mean and the variance so far. The variance includes a few made-up numbers
// that are far apart, so that it is never zero.
func (b *bet) moments() (mean, variance float64) {
	n := float64(b.n)
	mean = b.sum / n
	return mean, (max(b.squares-b.sum*mean, 0) + 0.25) / (n + 1)
}

// won reports whether the mean is below the limit, and is wrong with a probability of at most
// doubt.
func (b *bet) won(doubt float64) bool { return b.capital >= 1/doubt }
