package model

import (
	"context"
	"fmt"

	"killick/model/prompt"
	"killick/model/schema"
	"killick/probe"
)

// Record is the text from which questions are answered.
type Record struct {
	Written string // by a model
	Kept    string // by rules: quotes and structural facts
}

// Answers asks for answers to the questions from the record alone, whose two parts are
// marked: the model does not see the conversation, not even in append, which only means the
// client's own model and key. It returns one answer for each question, [probe.Unknown] if
// there is none. An error wraps one of this package's.
func (c *Client) Answers(
	ctx context.Context, call Call, record Record, questions []probe.Question,
) ([]string, Usage, error) {
	if len(questions) == 0 {
		return nil, Usage{}, nil
	}
	d, err := c.detached("answers", call)
	if err != nil {
		return nil, Usage{}, err
	}
	data := []prompt.Part{
		{Name: "part of the record that a model wrote", Text: record.Written},
		{Name: "part of the record that was extracted by rules", Text: record.Kept},
	}
	for i, q := range questions {
		data = append(data, prompt.Entry("question", i, q.Text))
	}
	task := d.fence.Parts(data...) + prompt.Answers()
	return askEach(ctx, d, schema.Answers, task, len(questions), probe.Unknown,
		func(c *schema.Cleaner, a numberedAnswer) string {
			text := c.Line(fmt.Sprintf("answers.%d", a.Number-1), a.Answer)
			if schema.Letters(text) == "" || unknown(text) {
				return probe.Unknown
			}
			return text
		})
}

// numberedAnswer is an answer with the number of its question.
type numberedAnswer struct {
	Number int    `json:"number"`
	Answer string `json:"answer"`
}

func (a numberedAnswer) number() int { return a.Number }

func unknown(text string) bool { return schema.Letters(text) == schema.Letters(probe.Unknown) }
