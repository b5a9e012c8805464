package plan

import "math"

// Prices are what a model charges, in ten-thousandths of what a token of fresh input costs:
// integers, so that every machine decides alike. The zero Prices are [DefaultPrices].
type Prices struct {
	Cached int // a token of input that the provider's prompt cache holds
	Write  int // a token of input that is written to it; Fresh where that costs nothing extra
	Output int // a token of a completion; 0 where that is not known
	Cliff  Cliff
}

// Fresh is what a token of fresh input costs in itself.
const Fresh = 10_000

// Cliff is a size past which every token of a request costs more. The zero Cliff is none.
type Cliff struct {
	Above  int // tokens of a request, in our count; 0: there is none
	Factor int // what a token costs past it, in ten-thousandths of what it costs before
}

// DefaultPrices are assumed of a model whose prices are not known. Cached input is a tenth of
// fresh input at most of the large providers, some charge less and none much more for its
// flagships (docs/benchmarks.md has the table).
var DefaultPrices = Prices{Cached: Fresh / 10, Write: Fresh}

// orDefault returns the prices, or what is assumed where none are given.
func (p Prices) orDefault() Prices {
	if p == (Prices{}) {
		return DefaultPrices
	}
	return p
}

// lost is how many of a million cached tokens a request finds gone and writes again, for whatever
// reason: a rest, other tools, a provider that evicts. Of 140 recorded sessions of a coding agent
// that had read 1,416 million cached tokens and written 57.2 million, 34.9 million of these had
// been cached before (github entireio/cli; docs/benchmarks.md).
const lost = 24_000

// hold is what a token costs each turn that it is sent again.
func (p Prices) hold() int { return p.Cached + (p.Write-p.Cached)*lost/1_000_000 }

// Hold is what it costs each turn to send so many tokens again.
func (p Prices) Hold(tokens int) int {
	p = p.orDefault()
	return p.hold() * tokens * p.factor(tokens) / Fresh
}

// Rewrite is what it costs that so many of its tokens are written instead of read.
func (p Prices) Rewrite(tokens int) int {
	p = p.orDefault()
	return (p.Write - p.Cached) * tokens
}

// roundTrip is about how many tokens a model writes for one more call: a sentence, a name and the
// arguments.
const roundTrip = 150

// Refetch is what it costs that an agent fetches so many tokens again, in a conversation of size:
// one more request, with its completion, and the tokens themselves.
func (p Prices) Refetch(tokens, size int) int {
	p = p.orDefault()
	return p.Write*tokens + p.Cached*size + p.Output*roundTrip
}

// factor is what a token costs in a request of so many, in ten-thousandths of its price.
func (p Prices) factor(tokens int) int {
	if p.Cliff.Above > 0 && tokens > p.Cliff.Above {
		return p.Cliff.Factor
	}
	return Fresh
}

// Interval is how many tokens a conversation should grow from one fold to the next. A fold writes
// so many tokens, and turns send again what has grown since. With a growth of so many tokens a
// turn, that costs
//
//	write·rewritten·growth/interval + hold·interval/2
//
// a turn, which is least where both terms are alike (the economic order quantity of F. W. Harris,
// 1913).
func Interval(p Prices, rewritten, growth int) int {
	p = p.orDefault()
	return int(math.Sqrt(2 * float64(rewritten) * float64(max(growth, 1)) *
		float64(p.Write) / float64(max(p.hold(), 1))))
}
