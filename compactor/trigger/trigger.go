package trigger

import (
	"math"
	"time"

	"killick/compactor/plan"
	"killick/compactor/settings"
)

// Inspect is the size past which a request is inspected at all. Up to there it is forwarded as
// received, since none of the thresholds below can be exceeded.
func Inspect(p settings.Policy, b settings.Budget) int {
	return min(Acts(p, b), Truncation(b))
}

// Acts is the size past which anything is done to the turns of a request: they are
// masked or folded, the next summary is prepared, or a conversation that was idle is
// compacted early, whichever of these begins first.
func Acts(p settings.Policy, b settings.Budget) int {
	return min(Prepare(p, b, b.Trigger), Formed(b))
}

// Warm is the size past which anything is done to a request of a conversation that its provider
// has cached and that has no form.
func Warm(p settings.Policy, b settings.Budget) int {
	return min(Prepare(p, b, b.Trigger), Compact(b, 0, false), Truncation(b))
}

// Formed is the size past which a request may have a form: one that was made when it was larger,
// or when its provider had forgotten it. Up to there it never has.
func Formed(b settings.Budget) int { return Compact(b, 0, b.Forgets) }

// Compact is the size past which a request is masked or folded, next being what its present form
// has for that (Next), 0 without a form: the trigger, or what the form could be brought down to and
// a step more. It is never more than the window, since what exceeds that is refused whatever was
// tried before. If the provider's cache has expired (cold), it is the threshold for idle
// conversations. Where every token of a request costs more past some size (the cliff), that is a
// trigger of its own.
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

// Next is the size that a request must exceed before the form after this one is tried, where this
// one brought it down to so many tokens, by writing so many, and turns have added so many each.
func Next(b settings.Budget, after, rewritten, growth int) int {
	if b.Derived {
		return after + max(plan.Interval(b.Prices, rewritten, growth), b.MinGain, 1)
	}
	return max(b.Trigger, after+Step(b))
}

// Step is how much a conversation must grow after a compaction that could not reach
// the target before the next is tried: half of the way from the target to the trigger.
// It keeps a request whose pinned part alone exceeds the trigger from being compacted at
// every turn; a whole way would leave it too large for as long as if it were small. It
// is at least what a compaction must save, since less growth leaves nothing to save.
func Step(b settings.Budget) int { return max((b.Trigger-b.Target)/2, b.MinGain, 1) }

// Retry is how many tokens must be foldable before an attempt that came to nothing is
// made again, where so many were foldable at that one; 0: there was none. It is an
// eighth more, so that attempts grow with the logarithm of a conversation's length and
// what they cost with its length, not with its square. It is at least what a compaction
// must save: less could not come to anything.
func Retry(b settings.Budget, tried int) int { return tried + max(b.MinGain, tried/8) }

// Overflow reports whether a request of this many tokens leaves its model no room to reply. Then
// what was left alone, or refused for its price or its coverage, will do.
func Overflow(b settings.Budget, size int) bool { return size > b.Window }

// Prepare is the size past which a model is asked for statements, where the form must
// change past limit: the share of the way from the target to there that the policy
// says. By default it is three quarters: late enough that most of what will be folded
// is there, early enough that a model has answered by the time that it is needed.
func Prepare(p settings.Policy, b settings.Budget, limit int) int {
	if p.Prepare >= 1 {
		return limit
	}
	return b.Target + int(p.Prepare*float64(limit-b.Target))
}

// PrepareAgain is the size past which a model is asked again, where it was asked when
// the request had so many tokens: half a step more. A summary that was rejected has so
// another chance before the form changes, and a model that fails is not asked at every
// turn.
func PrepareAgain(b settings.Budget, asked int) int { return asked + max(Step(b)/2, 1) }

// ForWindow is the size from which a model may be asked where that is done for the
// window alone: nearer to the window than a compacted request is large.
func ForWindow(b settings.Budget) int { return b.Window - b.Target }

// A provider forgets what it has cached of a conversation that is idle, or whose leading part has
// changed. The next request of it is charged as fresh in whatever form it is sent, so a new form
// costs nothing then, and is made earlier than at the trigger.
//
// For how long a conversation was idle is not in its messages. It is in the store; a process that
// has another one goes on in the older form.

// Idle is the size past which a conversation that its provider has forgotten is compacted. Where
// thresholds are derived from prices it is little more than the target, since a rewrite is free
// then. Else it is half of the way from the target to the trigger.
func Idle(b settings.Budget) int {
	if b.Derived {
		return b.Target + max((b.Trigger-b.Target)/8, b.MinGain)
	}
	return b.Target + (b.Trigger-b.Target)/2
}

// Lifetime is for how long a conversation must be idle until its provider's cache has expired,
// where a request asks for so long a retention (0: none): the operator's word, the provider's, or
// what is asked for where that is longer. 0: it is never known to be forgotten.
func Lifetime(p settings.Policy, c settings.Costs, asked time.Duration) time.Duration {
	switch {
	case p.IdleAfter < 0:
		return 0
	case p.IdleAfter > 0:
		return max(p.IdleAfter, asked)
	}
	return c.For(asked).Lifetime
}

// Truncation is the size past which an output is truncated on arrival. No output of a
// request that is not larger itself can be.
func Truncation(b settings.Budget) int {
	if b.TruncateOver <= 0 {
		return math.MaxInt
	}
	return max(b.TruncateOver, b.TruncateAfter)
}

// maxBytesPerToken is how many bytes of a request a token has at most on the mean. Prose
// has four or five, code fewer.
const maxBytesPerToken = 6

// Fits reports whether a body of this many bytes certainly has at most limit tokens: each token is
// at least a byte of it, save for media.
func Fits(bytes, limit int) bool { return bytes <= limit }

// Exceeds reports whether a body of this many bytes has more than limit tokens as good as
// certainly, so that it is not worth a sample.
func Exceeds(bytes, limit int) bool { return bytes/maxBytesPerToken > limit }
