package trigger

import (
	"math"
	"time"

	"killick/compactor/plan"
	"killick/compactor/settings"
)

// Inspect returns the size past which a request is inspected. Up to that size it is forwarded as
// received, since none of the following thresholds can be exceeded.
func Inspect(p settings.Policy, b settings.Budget) int {
	return min(acts(p, b), Truncation(b))
}

// acts returns the size past which anything is done to the turns of a request: they are masked or
// folded, the next summary is prepared, or a conversation that was idle is compacted early. It is
// the smallest of these thresholds.
func acts(p settings.Policy, b settings.Budget) int {
	return min(Prepare(p, b, b.Trigger), Formed(b))
}

// Warm returns the size past which anything is done to a request of a conversation that its
// provider has cached and that has no form.
func Warm(p settings.Policy, b settings.Budget) int {
	return min(Prepare(p, b, b.Trigger), Compact(b, 0, false), Truncation(b))
}

// Formed returns the size past which a request may have a form: one that was made when the request
// was larger, or when the provider's cache had expired. Up to that size it never has a form.
func Formed(b settings.Budget) int { return Compact(b, 0, b.Forgets) }

// Compact returns the size past which a request is masked or folded: the trigger, or next, which is
// the result of Next for its present form (0 without one). It is never more than the window, since
// a larger request is refused, whatever was tried before. If the provider's cache has expired
// (cold), it is the threshold for idle conversations. A size past which every token of a request
// costs more (the cliff) is a trigger too.
func Compact(b settings.Budget, next int, cold bool) int {
	size := max(b.Trigger, min(next, b.Window))
	if b.Derived && next > 0 {
		size = min(next, b.Window)
	}
	if cliff := b.Prices.Cliff.Above; cliff > 0 && next <= cliff {
		size = min(size, cliff)
	}
	if cold {
		size = min(size, Idle(b))
	}
	return size
}

// Next returns the size that a request must exceed before the next form is tried. after is its size
// in the present form, rewritten the number of tokens that this form wrote again, and growth the
// mean number of tokens of a turn.
func Next(b settings.Budget, after, rewritten, growth int) int {
	if b.Derived {
		return after + max(plan.Interval(b.Prices, rewritten, growth), b.MinGain, 1)
	}
	return max(b.Trigger, after+step(b))
}

// step returns how much a conversation must grow after a compaction that did not reach the target
// before the next is tried: half of the distance from the target to the trigger. Without it, a
// request whose pinned text exceeds the trigger would be compacted at every turn. It is at least
// the least gain of a compaction, since less growth cannot be saved.
func step(b settings.Budget) int { return max((b.Trigger-b.Target)/2, b.MinGain, 1) }

// Retry returns how many tokens must be foldable for another attempt after one that made no new
// form. tried is how many were foldable at that attempt, 0 if there was none. It is an eighth more,
// so that the number of attempts grows with the logarithm of a conversation's length, and their
// cost with its length, not with its square. It is at least the least gain of a compaction.
func Retry(b settings.Budget, tried int) int { return tried + max(b.MinGain, tried/8) }

// Overflow reports whether a request of this many tokens leaves its model no room to reply. Then
// forms are used that were rejected for their price or their coverage.
func Overflow(b settings.Budget, size int) bool { return size > b.Window }

// Prepare returns the size past which a model is asked for statements, if the form must change past
// limit: the policy's share of the distance from the target to limit. By default it is three
// quarters: late enough for most of the turns that will be folded to be there, early enough for the
// model to answer before they are.
func Prepare(p settings.Policy, b settings.Budget, limit int) int {
	if p.Prepare >= 1 {
		return limit
	}
	return b.Target + int(p.Prepare*float64(limit-b.Target))
}

// PrepareAgain returns the size past which a model is asked again, if it was asked when the request
// had this many tokens: half a step more. So there is another attempt before the form changes if a
// summary was rejected, and a model that fails is not asked at every turn.
func PrepareAgain(b settings.Budget, asked int) int { return asked + max(step(b)/2, 1) }

// ForWindow returns the size from which a model may be asked if it is asked only to protect the
// window: the distance to the window is then smaller than a compacted request.
func ForWindow(b settings.Budget) int { return b.Window - b.Target }

// A provider's cache of a conversation expires when the conversation is idle or its preamble
// changes. The next request is charged as fresh in any form, so a new form costs nothing extra, and
// is made earlier than at the trigger.
//
// The idle time is not in the messages of a conversation. It is in the store; a process with
// another store continues with the older form.

// Idle returns the size past which a conversation is compacted if the provider's cache has expired.
// If thresholds are derived from prices, it is little more than the target, since a rewrite is free
// then. Else it is halfway from the target to the trigger.
func Idle(b settings.Budget) int {
	if b.Derived {
		return b.Target + max((b.Trigger-b.Target)/8, b.MinGain)
	}
	return b.Target + (b.Trigger-b.Target)/2
}

// Lifetime returns the idle time after which the provider's cache of a conversation has expired:
// what the operator configured, else what the provider states, or the retention that the request
// asks for, if that is longer. asked is 0 if it asks for none. If Lifetime is 0, it is not known
// when the cache expires.
func Lifetime(p settings.Policy, c settings.Costs, asked time.Duration) time.Duration {
	switch {
	case p.IdleAfter < 0:
		return 0
	case p.IdleAfter > 0:
		return max(p.IdleAfter, asked)
	}
	return c.For(asked).Lifetime
}

// Truncation returns the size past which an output is truncated on arrival. In a request of at most
// that size, no output is.
func Truncation(b settings.Budget) int {
	if b.TruncateOver <= 0 {
		return math.MaxInt
	}
	return max(b.TruncateOver, b.TruncateAfter)
}

// maxBytesPerToken is the most bytes of a request for each token, on average. Prose has four or
// five, code fewer.
const maxBytesPerToken = 6

// Fits reports whether a body of this many bytes certainly has at most limit tokens: each token
// takes at least one byte, except in media.
func Fits(bytes, limit int) bool { return bytes <= limit }

// Exceeds reports whether a body of this many bytes almost certainly has more than limit tokens, so
// that it need not be sampled.
func Exceeds(bytes, limit int) bool { return bytes/maxBytesPerToken > limit }
