package replayreport

import (
	"math"
	"slices"

	"killick/compactor/settings"
	"killick/internal/config"
	"killick/prices"
	"killick/replay"
)

// pricesFor returns the prices of a cached token at which costs are measured: those asked for, and
// those of the conversations' models.
func pricesFor(asked []float64, transcripts []*replay.Transcript, c config.Config) []float64 {
	shares := slices.Clone(asked)
	for _, t := range transcripts {
		if p, ok := c.PricesOf(t.Model()); ok && !slices.Contains(shares, ratioOf(p)) {
			shares = append(shares, ratioOf(p))
		}
	}
	return shares
}

// ratioOf returns the price of a cached token relative to a fresh one.
func ratioOf(p prices.Model) float64 { return math.Round(1e6*p.Cached/p.Input) / 1e6 }

// costsOf returns the costs of a profile in the compactor's form.
func costsOf(p replay.Profile) settings.Costs {
	m := prices.Model{
		Input: 1, Cached: p.Cached, Write: p.Write, Output: p.Output, Lifetime: p.Lifetime,
	}
	if p.Cliff.Above > 0 {
		m.Cliff = prices.Cliff{Above: p.Cliff.Above, Input: p.Cliff.Factor,
			Cached: p.Cliff.Factor, Output: p.Cliff.Factor}
	}
	return config.CostsOf(m, true)
}

// bill is the cost of the input of all requests and of our own calls to models, in US dollars.
type bill struct {
	Raw  float64 `json:"raw"`
	Sent float64 `json:"sent"`
	With float64 `json:"with_rereads"`
}

// add adds a conversation's costs at a model's prices.
func (b *bill) add(f *replay.Figures, p prices.Model) {
	for _, c := range f.Costs {
		if c.Price == ratioOf(p) {
			b.Raw += c.Raw * p.Input / 1e6
			b.Sent += c.Sent*p.Input/1e6 + f.ModelUsage.Dollars
			b.With += (c.Sent+c.Rereads)*p.Input/1e6 + f.ModelUsage.Dollars
			return
		}
	}
}
