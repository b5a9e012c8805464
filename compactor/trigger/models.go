package trigger

import (
	"math"

	"killick/compactor/plan"
	"killick/compactor/settings"
)

// Range returns the smallest and the largest size past which anything is done to a request, for any
// model at any prices. forgets is true if the lifetime of any provider's cache is known.
func Range(p settings.Policy, forgets bool) (least, most int) {
	least = math.MaxInt
	see := func(p settings.Policy, w settings.Window) {
		for _, prices := range []plan.Prices{
			{Cached: plan.Fresh, Write: plan.Fresh}, {Cached: 1, Write: plan.Fresh},
		} {
			b := p.Budget(w.OrDefault(), 1, prices)
			most = max(most, Acts(p, b))
			b.Forgets = p.IdleAfter >= 0 && (forgets || p.IdleAfter > 0)
			least = min(least, Acts(p, b))
		}
	}
	see(p, settings.DefaultWindow)
	for _, windows := range []map[string]settings.Window{settings.KnownWindows, p.Windows} {
		for _, w := range windows {
			see(p, w)
			for _, own := range p.Models {
				see(own, w)
			}
		}
	}
	return least, most
}

// LeastTruncation returns the smallest Truncation of any model.
func LeastTruncation(p settings.Policy) int {
	least := Truncation(settings.Budget{TruncateOver: p.TruncateOver})
	for _, own := range p.Models {
		least = min(least, Truncation(settings.Budget{TruncateOver: own.TruncateOver}))
	}
	return least
}

// WithoutModel returns the policy if no model writes: no summary is prepared, so nothing is done
// before the trigger.
func WithoutModel(p settings.Policy) settings.Policy {
	p.Prepare = 1
	for name, own := range p.Models {
		own.Prepare = 1
		p.Models[name] = own
	}
	return p
}
