package model

import (
	"context"
	"fmt"

	"killick/model/endpoint"
	"killick/model/prompt"
	"killick/model/schema"
	"killick/probe"
	"killick/view"
)

// Span is the turns that statements or questions are about.
type Span struct {
	// Messages are whole groups. In append they are in the prefix, and none means all of
	// it; standalone needs some.
	Messages []view.Message
	First    int    // the number of the first message; if zero, 1
	SoFar    string // the record of the turns before them; "" at first
}

// first returns the number of the first message.
func (s Span) first() int { return max(s.First, 1) }

// Written is what a model wrote about a span. It is unverified: the quotes of its statements
// may be made up, and their messages may not exist. In append, where messages have no
// numbers, statements name none.
type Written struct {
	Statements []probe.Statement
	Form       Form  // the worst of any part
	Usage      Usage // set also with an error
}

// maxStatements is how many statements of one answer, and of one span, are read.
const maxStatements = probe.MaxStatements

// Statements asks for statements about the span: only about the new turns, to be merged into
// the existing ones. There may be none, for turns that only inspect things. An error
// wraps one of this package's.
func (c *Client) Statements(ctx context.Context, call Call, span Span) (Written, error) {
	d, err := c.dialogue("statements", call)
	if err != nil {
		return Written{}, err
	}
	var w Written
	if d.request.Prefix != nil {
		where := prompt.Place(span.Messages, span.SoFar != "", c.opt.Redact)
		w.Statements, w.Form, err = d.statements(ctx, schema.StatementsAppend, where)
	} else {
		w.Statements, w.Form, err = d.piecewise(ctx, span)
	}
	w.Usage = d.usage
	return w, err
}

// piecewise asks about the span as data, in as many pieces as needed. If there are too many
// statements, the newest are kept.
func (d *dialogue) piecewise(
	ctx context.Context, span Span,
) (all []probe.Statement, form Form, err error) {
	if len(span.Messages) == 0 {
		return nil, "", fmt.Errorf("asking for %s: %w: %w", d.task, endpoint.ErrRejected,
			errNoTurns)
	}
	soFar := prompt.Shorten(d.opt.Redact(span.SoFar), d.opt.Window*shareOfSoFar)
	transcript := d.fence.Transcript(span.Messages, span.first())
	pieces, ok := transcript.Pieces(d.room(soFar), d.opt.MaxPieces)
	if !ok {
		return nil, "", fmt.Errorf("asking for %s: %w: the turns do not fit %d pieces",
			d.task, endpoint.ErrTooLong, d.opt.MaxPieces)
	}
	form = Structured
	for _, piece := range pieces {
		some, got, err := d.statements(ctx, schema.Statements, d.fence.Turns(piece, soFar))
		if err != nil {
			return nil, "", err
		}
		if all = append(all, some...); got == Corrected {
			form = Corrected
		}
	}
	return all[max(0, len(all)-maxStatements):], form, nil
}

// shareOfSoFar is how many bytes of the record so far are shown per token of the window:
// about a quarter of it.
const shareOfSoFar = 1

// overhead is reserved in the window for rules, task, schema and the messages of a
// corrective retry, in bytes, three per token.
const overhead = 20_000

// room is how many tokens of transcript fit into the window of the standalone model.
func (d *dialogue) room(soFar string) int {
	window := d.opt.Window
	return window - d.request.MaxOutput - min(overhead/3, window/3) - d.opt.Count(soFar)
}

// statements asks about one piece of transcript, or in append about turns of the
// conversation; where says which.
func (d *dialogue) statements(
	ctx context.Context, s *schema.Schema, where string,
) (all []probe.Statement, form Form, err error) {
	task := where + prompt.Statements(d.opt.Identifiers, d.opt.Instructions)
	form, err = d.structured(ctx, s, task, func(text string) (faults []string) {
		var given struct {
			Statements []probe.Statement `json:"statements"`
		}
		if faults = s.Decode(text, &given); len(faults) > 0 {
			return faults
		}
		all, faults = cleanStatements(given.Statements, d.opt.Redact)
		return faults
	})
	if err != nil {
		return nil, "", err
	}
	return all, form, nil
}

// cleanStatements drops statements without a text or a quote. If all are, that is a
// defect.
func cleanStatements(
	given []probe.Statement, redact func(string) string,
) (all []probe.Statement, faults []string) {
	c := schema.Cleaner{Redact: redact, MaxText: probe.MaxText}
	if len(given) > schema.MaxExcess*maxStatements {
		c.Faultf("statements has %d entries, at most %d are allowed", len(given), maxStatements)
		return nil, c.Faults
	}
	for i, s := range given {
		s.Text = c.Line(fmt.Sprintf("statements.%d.text", i), s.Text)
		s.Quote = c.Line(fmt.Sprintf("statements.%d.quote", i), s.Quote)
		if schema.Letters(s.Text) != "" && schema.Letters(s.Quote) != "" {
			all = append(all, s)
		}
	}
	if len(given) > 0 && len(all) == 0 && len(c.Faults) == 0 {
		c.Faultf("there is no statement with a text and a quote")
	}
	return all[max(0, len(all)-maxStatements):], c.Faults
}
