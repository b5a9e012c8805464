package model

import (
	"context"
	"fmt"
	"strconv"

	"killick/model/prompt"
	"killick/model/schema"
	"killick/probe"
)

// Verify asks, in one call, whether each statement follows from its quote, and whether later
// passages take it back. The model only sees the statements, their quotes, who wrote these, the
// passages around them and the later ones, even in append, which only means the client's own model
// and key. It returns one answer for each, [probe.Insufficient] if none was given. An error wraps
// one of this package's.
func (c *Client) Verify(
	ctx context.Context, call Call, checks probe.Checks,
) ([]probe.Support, Usage, error) {
	statements := checks.Shown
	if len(statements) == 0 {
		return nil, Usage{}, nil
	}
	d, err := c.detached("verdicts", call)
	if err != nil {
		return nil, Usage{}, err
	}
	var data []prompt.Part
	for i, s := range statements {
		data = append(data,
			prompt.Entry("statement", i, s.Text),
			prompt.Entry("section of statement", i, s.Section),
			prompt.Entry("quote of statement", i, s.Quote),
			prompt.Entry("writer of quote", i, s.Writer),
			prompt.Entry("passage of quote", i, s.Passage),
			prompt.Entry("message of quote", i, strconv.Itoa(s.At)))
	}
	for i, p := range checks.Later {
		name := fmt.Sprintf("later passage %d, of message %d, by %s", i+1, p.Message, p.Writer)
		data = append(data, prompt.Part{Name: name, Text: p.Text})
	}
	task := d.fence.Parts(data...) + prompt.Verify()
	return askEach(ctx, d, schema.Verdicts, task, len(statements), probe.Insufficient,
		func(_ *schema.Cleaner, v numberedVerdict) probe.Support { return v.Verdict })
}

// numberedVerdict is a verdict with the number of its statement.
type numberedVerdict struct {
	Number  int           `json:"number"`
	Verdict probe.Support `json:"verdict"`
}

func (v numberedVerdict) number() int { return v.Number }
