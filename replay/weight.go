package replay

import (
	"slices"

	"killick/view"
)

// A provider counts more tokens than the messages show: wrappers, reasoning, reminders. The weight
// of a recorded message is therefore the growth of the recorded total when it was first sent. The
// weight of a message that a strategy wrote is its tokens times the scale of the conversation.

// minShrink limits how far recorded totals can shrink weights.
const minShrink = 0.05

// lostShare is the share of the common prefix that a request must have read from the cache. If less
// was read, the cache was lost.
const lostShare = 0.9

// weight returns the provider's tokens of a message in the request of a turn.
func (s *Study) weight(t *turn, m *message) float64 {
	if m.recorded {
		return m.weight * t.shrink
	}
	return float64(m.tokens) * s.scale
}

// setWeights sets the weights of the messages and the recorded facts of each turn. Without usage,
// all messages weigh their tokens.
func (s *Study) setWeights() {
	if s.Usage == nil {
		for i := range s.turns {
			s.turns[i].shrink = 1
		}
		return
	}
	shrink := 1.0
	var before *turn
	for i := range s.turns {
		t, u := &s.turns[i], &s.Usage.Requests[i]
		t.sent, t.ended = u.Sent.Time(), u.Ended.Time()
		known, estimate := 0.0, 0.0
		var fresh []*message
		for _, m := range t.messages {
			if m.recorded {
				known += m.weight
			} else {
				fresh = append(fresh, m) // twice if it is in the request twice
				estimate += float64(m.tokens) * s.scale
			}
		}
		if known == 0 {
			shrink = 1
		}
		total := float64(u.Total()) - s.preamble
		factor := 1.0
		if grown := total - shrink*known; grown > 0 && estimate > 0 {
			factor = grown / shrink / estimate
		} else if known+estimate > 0 {
			shrink = max(minShrink, total/(known+estimate))
		}
		for _, m := range fresh {
			m.recorded, m.weight = true, float64(m.tokens)*s.scale*factor
		}
		t.shrink = shrink
		s.observe(before, t, u)
		before = t
	}
}

// observe notes whether the client lost its cache before a turn and, at the first turn, how much of
// the preamble was cached already.
func (s *Study) observe(before, t *turn, u *UsageOfAnswer) {
	if before == nil {
		t.shared = min(float64(u.Read), s.preamble)
		return
	}
	if t.sent.Sub(before.ended).Seconds() > float64(s.Usage.TTL) {
		return
	}
	common := s.preamble
	for i, m := range t.messages {
		if i >= len(before.messages) || before.messages[i] != m {
			break
		}
		common += s.weight(t, m)
	}
	if float64(u.Read) < lostShare*common {
		t.lost, t.kept = true, float64(u.Read)
	}
}

// medianAnswer returns the median size of the model's answers, in the provider's tokens.
func (s *Study) medianAnswer() float64 {
	var all []int
	for _, t := range s.turns {
		if t.at < len(s.messages) && s.messages[t.at].role == view.Assistant {
			all = append(all, s.messages[t.at].tokens)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return float64(all[len(all)/2]) * s.scale
}
