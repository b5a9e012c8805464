package probe

import (
	"slices"
	"testing"

	"killick/internal/recorded"
)

// A record that forgot nothing passes every question, however the transcript contradicts itself on its way.
func TestRealTranscripts(t *testing.T) {
	asked := 0
	for _, c := range recorded.Conversations(t) {
		msgs := c.Parse(t)
		for _, part := range []int{len(msgs) / 2, len(msgs)} {
			questions := slices.DeleteFunc(Draw(msgs[:part], Config{}), func(q Question) bool {
				return q.Kind == Outcome // told by results, not by what was said
			})
			asked += len(questions)
			r := Ask(questions, prose(msgs[:part]), Config{})
			if r.Verdict != Pass || r.Score < 0.9 {
				t.Errorf("%s, %d messages: %s with %.2f\n%s", c.ID, part, r.Verdict, r.Score, failed(r))
			}
		}
	}
	t.Logf("%d questions asked", asked)
}
