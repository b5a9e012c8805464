package trigger

import (
	"math"
	"time"

	"killick/chat"
	"killick/compactor/settings"
)

// doorLimit is the size up to which no output of a request can be oversized.
func Truncation(b settings.Budget) int {
	if b.Ingest <= 0 {
		return math.MaxInt
	}
	return b.Ingest
}

// leastDoor is the smallest doorLimit of any model.
func LeastTruncation(p settings.Policy) int {
	least := Truncation(settings.Budget{Ingest: p.Ingest})
	for _, own := range p.Models {
		least = min(least, Truncation(settings.Budget{Ingest: own.Ingest}))
	}
	return least
}

// triggers returns the smallest and the largest size at which anything is done,
// whatever model is asked for.
func Range(p settings.Policy) (least, most int) {
	least = Acts(p, p.Budget(settings.DefaultWindow, 1))
	most = least
	see := func(p settings.Policy, w settings.Window) {
		trigger := Acts(p, p.Budget(w.OrDefault(), 1))
		least, most = min(least, trigger), max(most, trigger)
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

// A provider forgets what it has cached of a conversation that rests. The next
// request of it is charged as fresh in whatever form it is sent, so a new form
// costs nothing then, and is made earlier than at the trigger.
//
// When a conversation rested is not in its messages: a process that did not see it
// rest goes on in the older form. So this is for one process, or for several that
// share a store, and is off unless it is asked for.

// idleMark is the size past which a conversation that rested is compacted: half of
// the way from the target to the trigger.
func Idle(b settings.Budget) int { return b.Target + (b.Trigger-b.Target)/2 }

// extendedRetention is how long OpenAI keeps a prompt of which a request says
// "prompt_cache_retention": "24h" (its guide to prompt caching).
const extendedRetention = 24 * time.Hour

// rest is how long a conversation must rest until the provider has forgotten it.
func IdleAfter(p settings.Policy, req *chat.Request) time.Duration {
	if req.Field("prompt_cache_retention").Text() == "24h" {
		return max(p.IdleAfter, extendedRetention)
	}
	return p.IdleAfter
}

// actsPast is the size past which anything is done to a request: the trigger, or
// where models write, the size past which the next summary is prepared.
func Acts(p settings.Policy, b settings.Budget) int {
	size := Prepare(p, b, b.Trigger)
	if p.IdleAfter > 0 {
		size = min(size, Idle(b))
	}
	return size
}

// softMark is the size past which the next form is prepared, when a form must
// change past limit.
func Prepare(p settings.Policy, b settings.Budget, limit int) int {
	if p.Prepare >= 1 {
		return limit
	}
	return b.Target + int(p.Prepare*float64(limit-b.Target))
}

// unwritten is the policy where no model writes: nothing is prepared.
func WithoutModel(p settings.Policy) settings.Policy {
	p.Prepare = 1
	for name, own := range p.Models {
		own.Prepare = 1
		p.Models[name] = own
	}
	return p
}
