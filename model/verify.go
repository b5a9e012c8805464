package model

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"killick/model/prompt"
	"killick/model/schema"
	"killick/probe"
)

// Verify asks, in one call, whether each statement follows from its quote, and whether other
// passages contradict it. The model only sees the statements, their quotes, who wrote these, the
// passages around them, what is related to them, and the other passages, even in append, which only
// means the client's own model and key. It returns one answer for each, [probe.Unanswered] if none
// was given. An error wraps one of this package's.
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
	for i := range statements {
		data = append(data, check(i, &statements[i]))
	}
	if len(checks.Others) > 0 {
		var others []prompt.Part
		for _, p := range checks.Others {
			name := fmt.Sprintf("message %d, %s", p.Message, p.Writer)
			others = append(others, prompt.Part{Name: name, Text: p.Text})
		}
		data = append(data, prompt.Lines("other passages", others...))
	}
	task := d.fence.Parts(data...) + prompt.Verify()
	return askEach(ctx, d, schema.Verdicts, task, len(statements), probe.Unanswered,
		func(_ *schema.Cleaner, v numberedVerdict) probe.Support { return v.Verdict })
}

// check returns a statement as a model sees it, with what gives its quote its meaning.
func check(i int, s *probe.Statement) prompt.Part {
	before, after, _ := strings.Cut(s.Passage, s.Quote)
	return prompt.Lines(fmt.Sprintf("statement %d", i+1),
		prompt.Part{Name: "section", Text: s.Section},
		prompt.Part{Name: "statement", Text: s.Text},
		prompt.Part{Name: "quote", Text: s.Quote},
		prompt.Part{Name: "words before the quote", Text: before},
		prompt.Part{Name: "words after the quote", Text: after},
		prompt.Part{Name: string(s.Related.Kind), Text: s.Related.Text},
		prompt.Part{Name: "writer of the quote", Text: s.Writer},
		prompt.Part{Name: "message of the quote", Text: strconv.Itoa(s.At)})
}

// numberedVerdict is a verdict with the number of its statement.
type numberedVerdict struct {
	Number  int           `json:"number"`
	Verdict probe.Support `json:"verdict"`
}

func (v numberedVerdict) number() int { return v.Number }
