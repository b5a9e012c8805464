package prepare

import (
	"context"
	"errors"

	"killick/compaction"
	"killick/probe"
	"killick/summary"
)

// minQuestions is the minimum number of questions of a quiz.
const minQuestions = 2

// errFewQuestions means that a model asked too few valid questions.
var errFewQuestions = errors.New("fewer than two questions were about the turns")

// quiz has a model ask questions about the turns and answer them from the statements and the
// record alone. It returns an outcome if the statements must not be used, and puts the scores
// into the report.
func (p *preparation) quiz(
	ctx context.Context, index *probe.Index, turns Turns,
) (outcome string, err error) {
	if p.options.MaxQuestions < minQuestions {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.ProbeTimeout)
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
		if p.report.Unasked = err; p.options.RejectUnprobed {
			return RejectedUnprobed, err
		}
	}
	return "", nil
}

// questions has a model ask and answer questions, and grades the answers.
func (p *preparation) questions(
	ctx context.Context, index *probe.Index, turns Turns,
) (*probe.Report, error) {
	most := p.options.MaxQuestions
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
	}, p.options.Bounds)
	return &report, err
}
