package replay

import "slices"

// What a client left out of its requests is derived from its own log, and can be wrong: a log also
// has branches that were never taken. The provider's count shows it: if more was read from the
// cache than a request without these messages weighs, the messages were there.

// skipMargin is how much more must have been read.
const skipMargin = 1.1

// withoutFalseSkips returns the conversation without the ranges in Skip that its usage contradicts,
// and how many these were.
func withoutFalseSkips(t *Transcript, counter Counter) (_ *Transcript, ignored int) {
	if t.Usage == nil {
		return t, 0
	}
	var tokens []int // of each message; counted when needed
	weight := func(r *UsageOfAnswer) (sum float64) {
		for i := len(tokens); i < r.Messages; i++ {
			tokens = append(tokens, counter.Message(&t.Messages[i]))
		}
		for i := range r.Messages {
			if r.holds(i) {
				sum += float64(tokens[i]) * t.Usage.Scale
			}
		}
		return sum
	}
	standing := float64(t.Usage.Standing)
	contradicted := func(r, before *UsageOfAnswer) bool {
		scale := 1.0 // of the recorded growth to the weight of the messages
		if known := weight(before); known > 0 {
			scale = max(1, (float64(before.Total())-standing)/known)
		}
		return float64(r.Read) > skipMargin*(standing+scale*weight(r))
	}
	var wrong [][2]int
	requests := slices.Clone(t.Usage.Requests)
	for i := range requests {
		r := &requests[i]
		r.Skip = without(r.Skip, wrong)
		if i == 0 {
			continue
		}
		before := &requests[i-1]
		if fresh := without(r.Skip, before.Skip); len(fresh) > 0 && contradicted(r, before) {
			wrong = append(wrong, fresh...)
			r.Skip = without(r.Skip, fresh)
		}
	}
	if wrong == nil {
		return t, 0
	}
	usage, with := *t.Usage, *t
	usage.Requests, with.Usage = requests, &usage
	return &with, len(wrong)
}

// without returns the ranges that are not among others, nil if there are none.
func without(ranges, others [][2]int) (rest [][2]int) {
	for _, r := range ranges {
		if !slices.Contains(others, r) {
			rest = append(rest, r)
		}
	}
	return rest
}
