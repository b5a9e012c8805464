package trigger

import "killick/compactor/settings"

// Range returns the smallest and the largest size past which anything is done to a
// request, whatever model it is for.
func Range(p settings.Policy) (least, most int) {
	least = Acts(p, p.Budget(settings.DefaultWindow, 1))
	most = least
	see := func(p settings.Policy, w settings.Window) {
		size := Acts(p, p.Budget(w.OrDefault(), 1))
		least, most = min(least, size), max(most, size)
	}
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

// LeastTruncation is the smallest Truncation of any model.
func LeastTruncation(p settings.Policy) int {
	least := Truncation(settings.Budget{TruncateOver: p.TruncateOver})
	for _, own := range p.Models {
		least = min(least, Truncation(settings.Budget{TruncateOver: own.TruncateOver}))
	}
	return least
}

// WithoutModel is the policy where no model writes: nothing is prepared, so nothing is
// done before the trigger.
func WithoutModel(p settings.Policy) settings.Policy {
	p.Prepare = 1
	for name, own := range p.Models {
		own.Prepare = 1
		p.Models[name] = own
	}
	return p
}
