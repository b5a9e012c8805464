package model

import (
	"context"
	"fmt"

	"killick/chat"
)

// Span is what a summary is to be written of.
type Span struct {
	// Messages are the new turns, whole groups. In append they stand in the prefix,
	// and none stands for all of it; standalone needs some.
	Messages []chat.Message
	SoFar    string // the rendered summary of what came before them; "" at first
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
	var w Written
	if d.prefix != nil {
		w.Prose, w.Form, err = d.prose(ctx, d.placed(span.Messages, span.SoFar != ""))
	} else {
		w.Prose, w.Form, err = d.piecewise(ctx, data, span)
	}
	w.Spent = d.spent
	return w, err
}

// piecewise asks about the span as data, in as many pieces as it takes. What each
// piece brings is put together by code, so that nothing is told a second time by
// a model.
func (d *dialogue) piecewise(ctx context.Context, data fence, span Span) (whole Prose, form Form, err error) {
	if len(span.Messages) == 0 {
		return Prose{}, "", fmt.Errorf("asking for %s: %w: %w", d.task, ErrRejected, errNoTurns)
	}
	soFar := shorten(d.c.opt.Redact(span.SoFar), d.c.opt.Window*shareOfSoFar)
	pieces, ok := data.pieces(data.transcript(span.Messages), d.room(soFar), d.c.opt.Chunks)
	if !ok {
		return Prose{}, "", fmt.Errorf("asking for %s: %w: the turns do not fit %d pieces", d.task, ErrTooLong, d.c.opt.Chunks)
	}
	form = Structured
	for i, piece := range pieces {
		var notes *Prose
		if i > 0 {
			notes = &whole
		}
		p, rung, err := d.prose(ctx, data.around(piece, soFar, notes))
		if err != nil {
			return Prose{}, "", err
		}
		whole = whole.then(p)
		form = lower(form, rung)
	}
	return whole, form, nil
}

// shareOfSoFar is how many bytes of the summary so far are shown for each token
// of the window: about a quarter of it.
const shareOfSoFar = 1

// overhead is set aside in the window for rules, task, schema, notes and the turns
// of a corrective retry, in bytes of three to a token.
const overhead = 20_000

// room is how many tokens of transcript fit beside all else into the window of the
// standalone model.
func (d *dialogue) room(soFar string) int {
	o := d.c.opt
	return o.Window - d.mostOutput() - min(overhead/3, o.Window/3) - o.Count(soFar)
}

// lower returns the lower rung of two.
func lower(a, b Form) Form {
	for _, form := range []Form{Headed, Corrected} {
		if a == form || b == form {
			return form
		}
	}
	return a
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
	if err != nil {
		return Prose{}, "", err
	}
	if failed == nil {
		return p, form, nil
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
