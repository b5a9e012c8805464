package plan

import "math"

// Prices are the prices of a model's tokens, in ten-thousandths of the price of fresh input. They
// are integers, so that every machine decides alike. The zero Prices are [DefaultPrices].
type Prices struct {
	Cached int // a token of input that is in the provider's prompt cache
	Write  int // a token of input that is written to the cache; Fresh if that costs nothing extra
	Output int // a token of a completion; 0 if it is not known
	Cliff  Cliff
}

// Fresh is the price of a token of fresh input.
const Fresh = 10_000

// Cliff is a size past which every token of a request costs more. The zero Cliff is none.
type Cliff struct {
	Above  int // tokens of a request, in our count; 0: there is none
	Factor int // of the price of every token, in ten-thousandths
}

// DefaultPrices are assumed for a model whose prices are not known. Most large providers charge a
// tenth of fresh input for cached input of their flagship models; some charge less, and none much
// more (prices/models.yaml).
var DefaultPrices = Prices{Cached: Fresh / 10, Write: Fresh}

// orDefault returns the prices, or DefaultPrices if none are given.
func (p Prices) orDefault() Prices {
	if p == (Prices{}) {
		return DefaultPrices
	}
	return p
}

// lost is how many of a million cached tokens are no longer cached when a request needs them, and
// are written again, whatever the reason: an idle time, other tools, eviction by the provider. 140
// recorded sessions of a coding agent had read 1,416 million cached tokens and written 57.2
// million, of which 34.9 million had been cached before (github entireio/cli).
const lost = 24_000

// hold returns the cost of a token in each turn that sends it again.
func (p Prices) hold() int { return p.Cached + (p.Write-p.Cached)*lost/1_000_000 }

// Hold returns the cost of sending this many tokens again, for each turn.
func (p Prices) Hold(tokens int) int {
	p = p.orDefault()
	return p.hold() * tokens * p.factor(tokens) / Fresh
}

// Rewrite returns the extra cost of writing this many tokens to the cache instead of reading them.
func (p Prices) Rewrite(tokens int) int {
	p = p.orDefault()
	return (p.Write - p.Cached) * tokens
}

// roundTrip is the approximate number of tokens that a model writes for one more call: a sentence,
// a name and the arguments.
const roundTrip = 150

// Refetch returns the cost of fetching this many tokens again in a conversation of this size: one
// more request, its completion, and the tokens themselves.
func (p Prices) Refetch(tokens, size int) int {
	p = p.orDefault()
	return p.Write*tokens + p.Cached*size + p.Output*roundTrip
}

// factor returns the factor of all prices for a request of this many tokens, in ten-thousandths.
func (p Prices) factor(tokens int) int {
	if p.Cliff.Above > 0 && tokens > p.Cliff.Above {
		return p.Cliff.Factor
	}
	return Fresh
}

// Interval returns how many tokens a conversation should grow from one fold to the next. A fold
// writes rewritten tokens, and each turn sends again what was added since the fold. If a turn adds
// growth tokens, the cost of a turn is
//
//	write·rewritten·growth/interval + hold·interval/2
//
// which is lowest where both terms are equal (the economic order quantity of F. W. Harris, 1913).
func Interval(p Prices, rewritten, growth int) int {
	p = p.orDefault()
	return int(math.Sqrt(2 * float64(rewritten) * float64(max(growth, 1)) *
		float64(p.Write) / float64(max(p.hold(), 1))))
}
