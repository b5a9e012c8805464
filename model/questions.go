package model

import (
	"context"
	"fmt"

	"killick/model/endpoint"
	"killick/model/prompt"
	"killick/model/schema"
	"killick/probe"
)

// minQuestions is the minimum for a quiz.
const minQuestions = 2

// Questions asks for a limited number of questions about messages that are to be replaced,
// with the answers that the messages give. Fewer than two are an error, which wraps one
// of this package's.
func (c *Client) Questions(
	ctx context.Context, call Call, span Span, most int,
) ([]probe.Question, Usage, error) {
	if most < minQuestions {
		return nil, Usage{}, fmt.Errorf(
			"asking for questions: %w: at most %d are allowed, at least %d are needed",
			endpoint.ErrRejected, most, minQuestions)
	}
	d, err := c.dialogue("questions", call)
	if err != nil {
		return nil, Usage{}, err
	}
	s := schema.Questions
	var where string
	switch {
	case d.request.Prefix != nil:
		s, where = schema.QuestionsAppend, prompt.Place(span.Messages, false, c.opt.Redact)
	case len(span.Messages) == 0:
		return nil, Usage{}, fmt.Errorf("asking for %s: %w: %w", d.task, endpoint.ErrRejected,
			errNoTurns)
	default:
		transcript := d.fence.Transcript(span.Messages, span.first())
		where = d.fence.Turns(transcript.Sample(d.room("")), "")
	}
	var asked []probe.Question
	task := where + prompt.Questions(most)
	_, err = d.structured(ctx, s, task, func(text string) (faults []string) {
		var given struct {
			Questions []writtenQuestion `json:"questions"`
		}
		if faults = s.Decode(text, &given); len(faults) > 0 {
			return faults
		}
		asked, faults = cleanQuestions(given.Questions, most, c.opt.Redact)
		return faults
	})
	if err != nil {
		return nil, d.usage, err
	}
	return asked, d.usage, nil
}

// writtenQuestion is a question as a model writes it; in append without the message.
type writtenQuestion struct {
	Category probe.Category `json:"category"`
	Text     string         `json:"question"`
	Expected string         `json:"expected"`
	Message  int            `json:"message"`
}

// cleanQuestions keeps the first non-empty questions, without duplicates.
func cleanQuestions(
	written []writtenQuestion, most int, redact func(string) string,
) (kept []probe.Question, faults []string) {
	c := schema.Cleaner{Redact: redact, MaxText: probe.MaxText}
	seen := map[string]bool{}
	for i, w := range written {
		if len(kept) == most {
			break
		}
		q := probe.Question{Category: w.Category, Message: w.Message}
		q.Text = c.Line(fmt.Sprintf("questions.%d.question", i), w.Text)
		q.Expected = c.Line(fmt.Sprintf("questions.%d.expected", i), w.Expected)
		same := schema.Letters(q.Text)
		if same == "" || seen[same] || schema.Letters(q.Expected) == "" || unknown(q.Expected) {
			continue
		}
		seen[same] = true
		kept = append(kept, q)
	}
	if len(kept) < minQuestions {
		c.Faultf("%d usable questions, at least %d are needed", len(kept), minQuestions)
	}
	return kept, c.Faults
}
