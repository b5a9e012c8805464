package model

import (
	"context"
	"fmt"
)

// Unknown is the answer where a summary does not say.
const Unknown = "UNKNOWN"

// Answers asks for answers to the questions from the summary alone: also in
// append the model sees nothing of the conversation, it is only the client's own
// model and key. It returns one answer for each question, Unknown where there is
// none. An error wraps one of this package's.
func (c *Client) Answers(ctx context.Context, call Call, summary string, questions []Question) ([]string, Spent, error) {
	if len(questions) == 0 {
		return nil, Spent{}, nil
	}
	data := c.newFence()
	d, err := c.dialogue("answers", call, data.rules())
	if err != nil {
		return nil, Spent{}, err
	}
	d.apart()
	var answers []string
	task := data.aroundQuestions(summary, questions) + answersTask + schemaTask(answersShape)
	_, failed, err := d.structured(ctx, answersShape, task, func(text string) []string {
		var given struct {
			Answers []numbered `json:"answers"`
		}
		if faults := answersShape.object(text, &given); len(faults) > 0 {
			return faults
		}
		var faults []string
		answers, faults = tidyAnswers(given.Answers, len(questions), c.opt.Redact)
		return faults
	})
	if err == nil && failed != nil {
		err = failed.err(d.task)
	}
	if err != nil {
		return nil, d.spent, err
	}
	return answers, d.spent, nil
}

// numbered is an answer with the number of its question, from 1.
type numbered struct {
	Number int    `json:"number"`
	Answer string `json:"answer"`
}

// tidyAnswers puts answers in the order of their questions. A question without an
// answer was not answered; two answers to one, or one to none, are faults.
func tidyAnswers(given []numbered, n int, redact func(string) string) (answers, faults []string) {
	t := tidier{redact: redact}
	answers = make([]string, n)
	for i, a := range given {
		at := fmt.Sprintf("answers.%d", i)
		switch {
		case a.Number < 1 || a.Number > n:
			t.fault("%s has the number %d, want 1 to %d", at, a.Number, n)
			continue
		case answers[a.Number-1] != "":
			t.fault("question %d is answered twice", a.Number)
			continue
		}
		text := t.line(at, a.Answer, maxEntry)
		if void(text) || unknown(text) {
			text = Unknown
		}
		answers[a.Number-1] = text
	}
	if len(given) == 0 {
		t.fault("there are no answers, want %d", n)
	}
	for i := range answers {
		if answers[i] == "" {
			answers[i] = Unknown
		}
	}
	return answers, t.faults
}

func unknown(text string) bool { return letters(text) == "unknown" }
