package model

import (
	"context"

	"killick/chat"
)

// Span is what a summary is to be written of.
type Span struct {
	Messages []chat.Message // the new turns, whole groups. In append they stand in the prefix
	SoFar    string         // the rendered summary of what came before them; "" at first
}

// Written is a model's part of a summary.
type Written struct {
	Prose Prose
	Form  Form  // the lowest rung that any part of it stood on
	Spent Spent // set also with an error
}

// Summarize asks for the prose of a summary of the span: of the new turns alone,
// to be merged into what there is. An error wraps one of this package's and means
// that there is no prose.
func (c *Client) Summarize(ctx context.Context, call Call, span Span) (Written, error) {
	data := c.newFence()
	d, err := c.dialogue("a summary", call, data.rules())
	if err != nil {
		return Written{}, err
	}
	w := Written{}
	if d.prefix != nil {
		w.Prose, w.Form, err = d.prose(ctx, d.placed(span.Messages, span.SoFar != ""))
	} else {
		w.Prose, w.Form, err = d.prose(ctx, data.around(span))
	}
	w.Spent = d.spent
	return w, err
}

// prose climbs down the ladder for one piece of transcript. where says which
// turns are meant.
func (d *dialogue) prose(ctx context.Context, where string) (Prose, Form, error) {
	var p Prose
	form, failed, err := d.structured(ctx, summaryShape, where+summaryTask+schemaTask(summaryShape), func(text string) []string {
		p = Prose{}
		if faults := summaryShape.object(text, &p); len(faults) > 0 {
			return faults
		}
		return p.tidy(d.c.opt.Redact)
	})
	if err != nil || failed == nil {
		return p, form, err
	}
	got, err := d.ask(ctx, request{turns: []turn{told(where + summaryTask + headedTask)}, form: Headed})
	if err != nil {
		return Prose{}, "", err
	}
	failed = got.judge(func(text string) []string {
		p = headed(afterThoughts(text))
		return p.tidy(d.c.opt.Redact)
	})
	if failed != nil {
		return Prose{}, "", failed.err(d.task)
	}
	return p, Headed, nil
}
