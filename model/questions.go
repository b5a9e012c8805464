package model

import (
	"context"
	"fmt"

	"killick/chat"
)

// Question is one that a model wrote about replaced turns.
type Question struct {
	Category string `json:"category"` // recall, artifact, continuation or decision
	Text     string `json:"question"` // at most 500 bytes, like the answer
	Expected string `json:"expected"`
}

// leastQuestions is the fewest that a probe can be made of.
const leastQuestions = 2

// Questions asks for at most so many questions about messages that are to be
// replaced, with the answers that the messages give. Fewer than two are an error,
// which wraps one of this package's.
func (c *Client) Questions(ctx context.Context, call Call, replaced []chat.Message, most int) ([]Question, Spent, error) {
	if most < leastQuestions {
		return nil, Spent{}, fmt.Errorf("asking for questions: %w: at most %d are allowed, at least %d are needed", ErrRejected, most, leastQuestions)
	}
	data := c.newFence()
	d, err := c.dialogue("questions", call, data.rules())
	if err != nil {
		return nil, Spent{}, err
	}
	var where string
	switch {
	case d.prefix != nil:
		where = d.placed(replaced, false)
	case len(replaced) == 0:
		return nil, Spent{}, fmt.Errorf("asking for %s: %w: %w", d.task, ErrRejected, errNoTurns)
	default:
		where = data.around(data.sample(data.transcript(replaced), d.room("")), "", nil)
	}
	var asked struct {
		Questions []Question `json:"questions"`
	}
	_, failed, err := d.structured(ctx, questionsShape, where+questionsTask(most)+schemaTask(questionsShape), func(text string) []string {
		asked.Questions = nil
		if faults := questionsShape.object(text, &asked); len(faults) > 0 {
			return faults
		}
		var faults []string
		asked.Questions, faults = tidyQuestions(asked.Questions, most, c.opt.Redact)
		return faults
	})
	if err == nil && failed != nil {
		err = failed.err(d.task)
	}
	if err != nil {
		return nil, d.spent, err
	}
	return asked.Questions, d.spent, nil
}

// tidyQuestions keeps the first questions that ask for something, each once.
func tidyQuestions(all []Question, most int, redact func(string) string) (kept []Question, faults []string) {
	t := tidier{redact: redact}
	seen := map[string]bool{}
	for i, q := range all {
		if len(kept) == most {
			break
		}
		q.Text = t.line(fmt.Sprintf("questions.%d.question", i), q.Text, maxEntry)
		q.Expected = t.line(fmt.Sprintf("questions.%d.expected", i), q.Expected, maxEntry)
		if void(q.Text) || void(q.Expected) || unknown(q.Expected) || seen[letters(q.Text)] {
			continue
		}
		seen[letters(q.Text)] = true
		kept = append(kept, q)
	}
	if len(kept) < leastQuestions {
		t.fault("%d usable questions, at least %d are needed", len(kept), leastQuestions)
	}
	return kept, t.faults
}
