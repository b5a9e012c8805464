package probe

import (
	"cmp"
	"fmt"

	"killick/compaction"
)

// Thresholds are the minimum scores of the verdicts.
type Thresholds struct {
	Pass     float64 // if zero, 0.60
	SoftFail float64 // if zero, 0.35
}

// Report is the result of a quiz about a record.
type Report struct {
	Verdict  compaction.Verdict `json:"verdict"`
	Score    float64            `json:"score"` // the weighted mean; 0 without an answer
	Critical int                `json:"critical_missed"`
	Answers  []Answered         `json:"answers"`
}

// Grade scores the answers to questions, given in their order, and returns the verdict. A
// missing answer is UNKNOWN. Prose that is worded differently goes to the grader, if there
// is one: without it such answers do not count, and if no other is left the verdict is
// [compaction.Unprobed].
//
// If all answers are wrong, the verdict is a hard fail, whatever the thresholds. If the
// grader fails its error is returned, and the verdict is Unprobed unless a critical
// question is known to be missed.
func Grade(
	questions []Question, answers []string, grader Grader, want Thresholds,
) (Report, error) {
	r := Report{Verdict: compaction.Unprobed, Answers: make([]Answered, len(questions))}
	var open []int
	for i, q := range questions {
		answer := Unknown
		if i < len(answers) {
			answer = answers[i]
		}
		r.Answers[i] = scoreAnswer(q, answer)
		if r.Answers[i].Method == Ungraded {
			open = append(open, i)
		}
	}
	err := r.gradeOpen(open, grader)
	r.weigh(want)
	if err != nil && r.Critical == 0 {
		r.Verdict = compaction.Unprobed
	}
	return r, err
}

// gradeOpen has the open answers graded.
func (r *Report) gradeOpen(open []int, grader Grader) error {
	if len(open) == 0 || grader == nil {
		return nil
	}
	shown := make([]Answered, len(open))
	for i, at := range open {
		shown[i] = r.Answers[at]
	}
	scores, err := grader(shown)
	if err != nil {
		return fmt.Errorf("grading %d answers: %w", len(open), err)
	}
	if len(scores) != len(open) {
		return fmt.Errorf("grading %d answers: got %d scores, want one for each",
			len(open), len(scores))
	}
	for i, at := range open {
		r.Answers[at].Score, r.Answers[at].Method = min(max(scores[i], 0), 1), ByModel
	}
	return nil
}

// weigh sets the score and the verdict.
func (r *Report) weigh(want Thresholds) {
	want.Pass = cmp.Or(want.Pass, 0.60)
	want.SoftFail = cmp.Or(want.SoftFail, 0.35)
	var score, weight float64
	right := false
	for _, a := range r.Answers {
		if a.Method == Ungraded {
			continue
		}
		score += categoryWeights[a.Category] * a.Score
		weight += categoryWeights[a.Category]
		right = right || a.Score > 0
		if a.Critical && a.Score == 0 {
			r.Critical++
		}
	}
	if weight == 0 {
		return
	}
	r.Score = score / weight
	const slack = 1e-9
	switch {
	case !right, r.Critical > 0, r.Score+slack < want.SoftFail:
		r.Verdict = compaction.HardFail
	case r.Score+slack < want.Pass:
		r.Verdict = compaction.SoftFail
	default:
		r.Verdict = compaction.Pass
	}
}
