package model

import (
	"context"
	"fmt"

	"killick/chat"
)

// Span is the turns that statements or questions are asked about.
type Span struct {
	// Messages are whole groups. In append they stand in the prefix, and none stands
	// for all of it; standalone needs some.
	Messages []chat.Message
	First    int    // the number of the first message; if zero, 1
	SoFar    string // the record of what came before them; "" at first
}

// first returns the number of the first message.
func (s Span) first() int { return max(s.First, 1) }

// Statement is one thing that a model says of the turns. It is unproven: its quote
// may stand nowhere, and its messages may not exist.
type Statement struct {
	Section  string `json:"section"` // decision, completed, failed, open, next, state or fact
	Text     string `json:"text"`
	Messages []int  `json:"messages"` // nil in append, where messages have no numbers
	Quote    string `json:"quote"`
}

// Written is what a model says of a span.
type Written struct {
	Statements []Statement
	Form       Form  // the worst that any part of it had
	Spent      Spent // set also with an error
}

// Statements asks what is to be said of the span: of the new turns alone, to be
// merged into what there is. There may be none: turns that only look at things hold
// nothing to say. An error wraps one of this package's.
func (c *Client) Statements(ctx context.Context, call Call, span Span) (Written, error) {
	data := c.newFence()
	d, err := c.dialogue("statements", call, data.rules())
	if err != nil {
		return Written{}, err
	}
	var w Written
	if d.prefix != nil {
		w.Statements, w.Form, err = d.statements(ctx, d.placed(span.Messages, span.SoFar != ""), statementsAppendShape)
	} else {
		w.Statements, w.Form, err = d.piecewise(ctx, data, span)
	}
	w.Spent = d.spent
	return w, err
}

// piecewise asks about the span as data, in as many pieces as it takes. Where
// there are more statements than are read, the newest are kept.
func (d *dialogue) piecewise(ctx context.Context, data fence, span Span) (all []Statement, form Form, err error) {
	if len(span.Messages) == 0 {
		return nil, "", fmt.Errorf("asking for %s: %w: %w", d.task, ErrRejected, errNoTurns)
	}
	soFar := shorten(d.c.opt.Redact(span.SoFar), d.c.opt.Window*shareOfSoFar)
	pieces, ok := data.pieces(data.transcript(span), d.room(soFar), d.c.opt.Chunks)
	if !ok {
		return nil, "", fmt.Errorf("asking for %s: %w: the turns do not fit %d pieces", d.task, ErrTooLong, d.c.opt.Chunks)
	}
	form = Structured
	for _, piece := range pieces {
		some, got, err := d.statements(ctx, data.around(piece, soFar), statementsShape)
		if err != nil {
			return nil, "", err
		}
		if all = append(all, some...); got == Corrected {
			form = Corrected
		}
	}
	return all[max(0, len(all)-maxStatements):], form, nil
}

// shareOfSoFar is how many bytes of the record so far are shown for each token of
// the window: about a quarter of it.
const shareOfSoFar = 1

// overhead is set aside in the window for rules, task, schema and the turns of a
// corrective retry, in bytes of three to a token.
const overhead = 20_000

// room is how many tokens of transcript fit beside all else into the window of the
// standalone model.
func (d *dialogue) room(soFar string) int {
	o := d.c.opt
	return o.Window - d.mostOutput() - min(overhead/3, o.Window/3) - o.Count(soFar)
}

// statements asks about one piece of transcript. where says which turns are meant.
func (d *dialogue) statements(ctx context.Context, where string, s *shape) (all []Statement, form Form, err error) {
	form, err = d.structured(ctx, s, where+d.statementsTask()+schemaTask(s), func(text string) []string {
		var given struct {
			Statements []Statement `json:"statements"`
		}
		if faults := s.object(text, &given); len(faults) > 0 {
			return faults
		}
		var faults []string
		all, faults = tidyStatements(given.Statements, d.c.opt.Redact)
		return faults
	})
	if err != nil {
		return nil, "", err
	}
	return all, form, nil
}

// tidyStatements leaves out statements without a text or a quote. That all are so is
// a fault.
func tidyStatements(given []Statement, redact func(string) string) (all []Statement, faults []string) {
	t := tidier{redact: redact}
	if len(given) > copied*maxStatements {
		t.fault("statements has %d entries, at most %d are allowed", len(given), maxStatements)
		return nil, t.faults
	}
	for i, s := range given {
		s.Text = t.line(fmt.Sprintf("statements.%d.text", i), s.Text)
		s.Quote = t.line(fmt.Sprintf("statements.%d.quote", i), s.Quote)
		if letters(s.Text) != "" && letters(s.Quote) != "" {
			all = append(all, s)
		}
	}
	if len(given) > 0 && len(all) == 0 && len(t.faults) == 0 {
		t.fault("there is no statement with a text and a quote")
	}
	return all[max(0, len(all)-maxStatements):], t.faults
}
