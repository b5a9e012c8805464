package model

import (
	"context"

	"killick/model/prompt"
	"killick/model/schema"
	"killick/probe"
)

// scores are what grades count.
var scores = map[string]float64{"right": 1, "partly": 0.5, "wrong": 0}

// Grade asks, in one call, whether answers mean what was expected, possibly in other words.
// The model sees neither the conversation nor its record. It returns a score from 0 to 1
// for each, 0 if none was given. An error wraps one of this package's.
func (c *Client) Grade(
	ctx context.Context, call Call, answers []probe.Answered,
) ([]float64, Usage, error) {
	if len(answers) == 0 {
		return nil, Usage{}, nil
	}
	d, err := c.detached("grades", call)
	if err != nil {
		return nil, Usage{}, err
	}
	var data []prompt.Part
	for i, a := range answers {
		data = append(data,
			prompt.Entry("question", i, a.Text),
			prompt.Entry("expected answer", i, a.Expected),
			prompt.Entry("given answer", i, a.Answer))
	}
	task := d.fence.Parts(data...) + prompt.Grades()
	return askEach(ctx, d, schema.Grades, task, len(answers), 0,
		func(_ *schema.Cleaner, g numberedGrade) float64 { return scores[g.Grade] })
}

// numberedGrade is a grade with the number of its answer.
type numberedGrade struct {
	Number int    `json:"number"`
	Grade  string `json:"grade"`
}

func (g numberedGrade) number() int { return g.Number }
