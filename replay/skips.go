package replay

import "slices"

// Skip is derived from a client's own log and can be wrong: a log also has branches that were never
// sent. The provider's counts show this: if more tokens were read from the cache than the request
// has without the skipped messages, the messages were in it.

// skipMargin is the ratio of tokens read to tokens expected past which a range is wrong.
const skipMargin = 1.1

// withoutFalseSkips returns the conversation without the ranges in Skip that its usage contradicts,
// and the number of these ranges.
func withoutFalseSkips(t *Transcript, counter Counter) (_ *Transcript, ignored int) {
	if t.Usage == nil {
		return t, 0
	}
	var tokens []int // by message; counted when needed
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
	preamble := float64(t.Usage.Preamble)
	contradicted := func(r, before *UsageOfAnswer) bool {
		scale := 1.0 // of the recorded growth to the weight of the messages
		if known := weight(before); known > 0 {
			scale = max(1, (float64(before.Total())-preamble)/known)
		}
		return float64(r.Read) > skipMargin*(preamble+scale*weight(r))
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
