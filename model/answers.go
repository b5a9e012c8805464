package model

import (
	"context"
	"fmt"
	"strings"
)

// Unknown is the answer where a record does not say.
const Unknown = "UNKNOWN"

// Record is what questions are answered from.
type Record struct {
	Written string // by a model
	Kept    string // by rules: quotes and structural facts
}

// Answers asks for answers to the questions from the record alone, whose two parts
// are marked apart: also in append the model sees nothing of the conversation, it is
// only the client's own model and key. It returns one answer for each question,
// Unknown where there is none. An error wraps one of this package's.
func (c *Client) Answers(ctx context.Context, call Call, record Record, questions []Question) ([]string, Spent, error) {
	if len(questions) == 0 {
		return nil, Spent{}, nil
	}
	data := c.newFence()
	d, err := c.apart("answers", call, data)
	if err != nil {
		return nil, Spent{}, err
	}
	var b strings.Builder
	data.part(&b, "part of the record that a model wrote", c.opt.Redact(record.Written))
	data.part(&b, "part of the record that rules kept", c.opt.Redact(record.Kept))
	for i, q := range questions {
		data.part(&b, fmt.Sprintf("question %d", i+1), data.line(q.Text))
	}
	data.close(&b)
	var answers []string
	_, err = d.structured(ctx, answersShape, b.String()+answersTask+schemaTask(answersShape), func(text string) []string {
		var given struct {
			Answers []numberedAnswer `json:"answers"`
		}
		if faults := answersShape.object(text, &given); len(faults) > 0 {
			return faults
		}
		answers = make([]string, len(questions))
		for i := range answers {
			answers[i] = Unknown
		}
		t := tidier{redact: c.opt.Redact}
		eachNumbered(&t, "answers", given.Answers, len(questions), func(a numberedAnswer) int { return a.Number },
			func(i int, a numberedAnswer) {
				if text := t.line(fmt.Sprintf("answers.%d", i), a.Answer); letters(text) != "" && !unknown(text) {
					answers[i] = text
				}
			})
		return t.faults
	})
	if err != nil {
		return nil, d.spent, err
	}
	return answers, d.spent, nil
}

// numberedAnswer is an answer with the number of its question, from 1.
type numberedAnswer struct {
	Number int    `json:"number"`
	Answer string `json:"answer"`
}

func unknown(text string) bool { return letters(text) == letters(Unknown) }
