package model

import (
	"context"
	"fmt"
	"strings"
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
// sees the statements and their quotes and nothing else, also in append: then it is
// only the client's own model and key. It returns a verdict for each, NotEnough where
// none was given. An error wraps one of this package's.
func (c *Client) Verify(ctx context.Context, call Call, statements []Statement) ([]Verdict, Spent, error) {
	if len(statements) == 0 {
		return nil, Spent{}, nil
	}
	data := c.newFence()
	d, err := c.apart("verdicts", call, data)
	if err != nil {
		return nil, Spent{}, err
	}
	var b strings.Builder
	for i, s := range statements {
		data.part(&b, fmt.Sprintf("statement %d", i+1), data.line(s.Text))
		data.part(&b, fmt.Sprintf("quote of statement %d", i+1), data.line(s.Quote))
	}
	data.close(&b)
	var verdicts []Verdict
	_, err = d.structured(ctx, verdictsShape, b.String()+verifyTask+schemaTask(verdictsShape), func(text string) []string {
		var given struct {
			Verdicts []numberedVerdict `json:"verdicts"`
		}
		if faults := verdictsShape.object(text, &given); len(faults) > 0 {
			return faults
		}
		verdicts = make([]Verdict, len(statements))
		for i := range verdicts {
			verdicts[i] = NotEnough
		}
		t := tidier{}
		eachNumbered(&t, "verdicts", given.Verdicts, len(statements), func(v numberedVerdict) int { return v.Number },
			func(i int, v numberedVerdict) { verdicts[i] = v.Verdict })
		return t.faults
	})
	if err != nil {
		return nil, d.spent, err
	}
	return verdicts, d.spent, nil
}

// numberedVerdict is a verdict with the number of its statement, from 1.
type numberedVerdict struct {
	Number  int     `json:"number"`
	Verdict Verdict `json:"verdict"`
}
