package model

import (
	"context"
	"fmt"
)

// Question is one that a model wrote about replaced turns.
type Question struct {
	Category string `json:"category"` // recall, artifact, continuation or decision
	Text     string `json:"question"`
	Expected string `json:"expected"`
	Message  int    `json:"message"` // the number of the one that holds the answer; 0 in append
}

// leastQuestions is the fewest that a quiz can be made of.
const leastQuestions = 2

// Questions asks for at most so many questions about messages that are to be
// replaced, with the answers that the messages give. Fewer than two are an error,
// which wraps one of this package's.
func (c *Client) Questions(ctx context.Context, call Call, span Span, most int) ([]Question, Spent, error) {
	if most < leastQuestions {
		return nil, Spent{}, fmt.Errorf("asking for questions: %w: at most %d are allowed, at least %d are needed", ErrRejected, most, leastQuestions)
	}
	data := c.newFence()
	d, err := c.dialogue("questions", call, data.rules())
	if err != nil {
		return nil, Spent{}, err
	}
	var where string
	s := questionsShape
	switch {
	case d.prefix != nil:
		where, s = d.placed(span.Messages, false), questionsAppendShape
	case len(span.Messages) == 0:
		return nil, Spent{}, fmt.Errorf("asking for %s: %w: %w", d.task, ErrRejected, errNoTurns)
	default:
		where = data.around(data.sample(data.transcript(span), d.room("")), "")
	}
	var asked []Question
	_, err = d.structured(ctx, s, where+questionsTask(most)+schemaTask(s), func(text string) []string {
		var given struct {
			Questions []Question `json:"questions"`
		}
		if faults := s.object(text, &given); len(faults) > 0 {
			return faults
		}
		var faults []string
		asked, faults = tidyQuestions(given.Questions, most, c.opt.Redact)
		return faults
	})
	if err != nil {
		return nil, d.spent, err
	}
	return asked, d.spent, nil
}

// tidyQuestions keeps the first questions that ask for something, each once.
func tidyQuestions(all []Question, most int, redact func(string) string) (kept []Question, faults []string) {
	t := tidier{redact: redact}
	seen := map[string]bool{}
	for i, q := range all {
		if len(kept) == most {
			break
		}
		q.Text = t.line(fmt.Sprintf("questions.%d.question", i), q.Text)
		q.Expected = t.line(fmt.Sprintf("questions.%d.expected", i), q.Expected)
		if same := letters(q.Text); same != "" && letters(q.Expected) != "" && !unknown(q.Expected) && !seen[same] {
			seen[same] = true
			kept = append(kept, q)
		}
	}
	if len(kept) < leastQuestions {
		t.fault("%d usable questions, at least %d are needed", len(kept), leastQuestions)
	}
	return kept, t.faults
}
