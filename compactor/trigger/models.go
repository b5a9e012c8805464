package trigger

import (
	"math"

	"killick/compactor/plan"
	"killick/compactor/settings"
)

// Range returns the smallest and the largest size past which anything is done to a request, for any
// model at any prices. forgets is true if the lifetime of any provider's cache is known. If models
// have settings of their own, these are not known before the model is, and Range returns 0 and the
// largest number.
func Range(p settings.Policy, forgets bool) (least, most int) {
	if p.Own != nil {
		return 0, math.MaxInt
	}
	least = Truncation(settings.Budget{TruncateOver: p.TruncateOver})
	see := func(w settings.Window) {
		for _, prices := range []plan.Prices{
			{Cached: plan.Fresh, Write: plan.Fresh}, {Cached: 1, Write: plan.Fresh},
		} {
			b := p.Budget(w.OrDefault(), 1, prices)
			most = max(most, acts(p, b))
			b.Forgets = p.IdleAfter >= 0 && (forgets || p.IdleAfter > 0)
			least = min(least, acts(p, b))
		}
	}
	see(settings.DefaultWindow)
	for _, windows := range []map[string]settings.Window{settings.KnownWindows, p.Windows} {
		for _, w := range windows {
			see(w)
		}
	}
	return least, most
}
