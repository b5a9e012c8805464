package prepare

import (
	"context"
	"errors"

	"killick/compaction"
	"killick/probe"
	"killick/summary"
)

// minQuestions is the fewest questions that say something of the statements.
const minQuestions = 2

// errFewQuestions says that a model's questions say nothing of the statements.
var errFewQuestions = errors.New("fewer than two questions were about the turns")

// quiz asks a model what it would want to know of the turns and then, from the
// statements and the record, for the answers. It returns an outcome where the
// statements may not be used, and puts the scores into the report.
func (p *preparation) quiz(
	ctx context.Context, index *probe.Index, turns Turns,
) (outcome string, err error) {
	if p.background.MaxQuestions < minQuestions {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.background.ProbeTimeout)
	defer cancel()
	questions, err := p.questions(ctx, index, turns)
	p.report.Questions = questions
	result := p.report.Probe
	if questions != nil {
		result.Verdict, result.Score = questions.Verdict, questions.Score
		result.Asked = len(questions.Answers)
	}
	switch {
	case result.Verdict == compaction.HardFail:
		return RejectedProbe, nil
	case result.Verdict == compaction.Unprobed:
		if p.report.Unasked = err; p.background.RejectUnprobed {
			return RejectedUnprobed, err
		}
	}
	return "", nil
}

// questions has a model ask and answer, and judges the answers.
func (p *preparation) questions(
	ctx context.Context, index *probe.Index, turns Turns,
) (*probe.Report, error) {
	most := p.background.MaxQuestions
	asked, err := p.Author.Ask(ctx, p.sent, turns, most)
	if err != nil {
		return nil, err
	}
	asked, p.report.Refused = index.Accept(asked[:min(len(asked), most)])
	if len(asked) < minQuestions {
		return nil, errFewQuestions
	}
	narrative := summary.Narrative(p.report.Kept)
	answers, err := p.Author.Answer(ctx, p.sent, narrative, p.report.Record, asked)
	if err != nil {
		return nil, err
	}
	report, err := probe.Grade(asked, answers, func(open []probe.Answered) ([]float64, error) {
		return p.Author.Grade(ctx, p.sent, open)
	}, p.background.Bounds)
	return &report, err
}
