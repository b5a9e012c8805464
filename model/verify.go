package model

import (
	"context"

	"killick/model/prompt"
	"killick/model/schema"
)

// Verdict is what a model says of a statement beside its quote.
type Verdict string

// The verdicts.
const (
	Supported    Verdict = "supported"
	Contradicted Verdict = "contradicted"
	NotEnough    Verdict = "not enough"
)

// Verify asks, in one call, whether each statement follows from its quote. The model
// sees the statements and their quotes and nothing else, also in append: then it is only
// the client's own model and key. It returns a verdict for each, NotEnough where none was
// given. An error wraps one of this package's.
func (c *Client) Verify(
	ctx context.Context, call Call, statements []Statement,
) ([]Verdict, Spent, error) {
	if len(statements) == 0 {
		return nil, Spent{}, nil
	}
	d, err := c.detached("verdicts", call)
	if err != nil {
		return nil, Spent{}, err
	}
	var data []prompt.Part
	for i, s := range statements {
		data = append(data,
			prompt.Entry("statement", i, s.Text),
			prompt.Entry("quote of statement", i, s.Quote))
	}
	task := d.fence.Parts(data...) + prompt.Verify()
	return askEach(ctx, d, schema.Verdicts, task, len(statements), NotEnough,
		func(_ *schema.Cleaner, v numberedVerdict) Verdict { return v.Verdict })
}

// numberedVerdict is a verdict with the number of its statement.
type numberedVerdict struct {
	Number  int     `json:"number"`
	Verdict Verdict `json:"verdict"`
}

func (v numberedVerdict) number() int { return v.Number }
