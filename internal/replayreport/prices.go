package replayreport

import (
	"math"

	"killick/compactor/settings"
	"killick/internal/config"
	"killick/prices"
	"killick/replay"
	"killick/replay/billing"
)

// profileOf returns the prices of a conversation's model as a profile.
func profileOf(c config.Config) func(*replay.Transcript) (billing.Profile, bool) {
	return func(t *replay.Transcript) (billing.Profile, bool) {
		m, ok := c.PricesOf(t.Model())
		if !ok {
			return billing.Profile{}, false
		}
		shares := m.Shares()
		p := billing.Profile{Name: t.Model(), Cached: shares.Cached, Write: shares.Write,
			Output: shares.Output, Lifetime: m.Lifetime, Match: billing.MatchPrefix,
			Minimum: m.Minimum}
		if p.Lifetime == 0 {
			p.Lifetime = math.MaxInt64 // not documented: nothing is known to expire
		}
		if m.Match == prices.MatchMark {
			p.Match = billing.MatchMark
		}
		if m.Cliff.Above > 0 {
			p.Cliff = billing.Cliff{Above: m.Cliff.Above, Factor: m.Cliff.Input}
		}
		return p, true
	}
}

// costsOf returns the costs of a profile in the compactor's form.
func costsOf(p billing.Profile) settings.Costs {
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

// add adds a conversation's bill at its model's prices.
func (b *bill) add(f *replay.Figures, p prices.Model) {
	dollars := p.Input / 1e6
	b.Raw += f.AtModel.Raw.Total() * dollars
	sent := f.AtModel.Sent.Total()*dollars + f.ModelUsage.Dollars
	b.Sent += sent
	b.With += sent + f.AtModel.Rereads*dollars
}
