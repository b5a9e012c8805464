package tokenizer

import "math"

// The factors that a model's own count is explained by: it is taken to be
//
//	ratio × tokens of the messages + perMessage × messages + perCall × calls
//	+ toolsRatio × tokens of the tools + constant
//
// with ours for the tokens.
const (
	ratio = iota
	perMessage
	perCall
	toolsRatio
	constant
	factors
)

type vector [factors]float64

// belief is what is held of the factors: a normal distribution, updated by
// every count that the upstream reports (a Kalman filter over factors that do
// not move). Its size is fixed and an update takes constant time.
type belief struct {
	mean  vector
	cov   [factors]vector
	noise float64 // standard deviation of a count, as a share of it
	low   vector  // the mean stays within these bounds, whatever is reported
	high  vector
}

// newBelief is where a model starts. Of a published tokenizer the ratio is
// known, and only frames are to be learnt. Other tokenizers take about as many
// tokens as o200k_base, or up to half as many again, depending on the text.
func newBelief(published bool) belief {
	b := belief{
		mean: vector{ratio: 1.1, toolsRatio: 1},
		low:  vector{0.75, -4, -16, 0.2, -64},
		high: vector{2.5, 64, 96, 4, 4096},
	}
	spread := vector{0.15, 4, 8, 0.5, 150}
	b.noise = 0.05
	if published {
		b.mean[ratio], spread[ratio], b.noise = 1, 0.01, 0.005
		b.low[ratio], b.high[ratio] = 0.95, 1.1
	}
	for i := range spread {
		b.cov[i][i] = spread[i] * spread[i]
	}
	return b
}

// predict returns the expected count and its standard deviation, that of the
// factors and that of a single count.
func (b *belief) predict(x *vector) (mean, deviation float64) {
	variance := 0.0
	for i := range x {
		mean += b.mean[i] * x[i]
		for j := range x {
			variance += x[i] * b.cov[i][j] * x[j]
		}
	}
	noise := 1 + b.noise*math.Abs(mean)
	return mean, math.Sqrt(max(variance, 0) + noise*noise)
}

// doubt makes the belief less certain: the counts that it does not believe may
// be right.
func (b *belief) doubt() {
	if b.cov[ratio][ratio] > 0.25 {
		return // it believes nearly anything within the bounds by now
	}
	for i := range b.cov {
		for j := range b.cov[i] {
			b.cov[i][j] *= 2
		}
	}
}

// learn updates the belief by one count.
func (b *belief) learn(x *vector, count float64) {
	mean, deviation := b.predict(x)
	off := count - mean
	var gain vector
	for i := range x {
		for j := range x {
			gain[i] += b.cov[i][j] * x[j]
		}
	}
	for i := range x {
		share := gain[i] / (deviation * deviation)
		b.mean[i] = min(max(b.mean[i]+share*off, b.low[i]), b.high[i])
		for j := range x {
			b.cov[i][j] -= share * gain[j]
		}
	}
	for i := range x { // rounding must not make it lopsided, nor certain
		for j := range i {
			even := (b.cov[i][j] + b.cov[j][i]) / 2
			b.cov[i][j], b.cov[j][i] = even, even
		}
		b.cov[i][i] = max(b.cov[i][i], 1e-9)
	}
}
