package model

import (
	"context"
	"fmt"
	"strings"

	"killick/model/endpoint"
	"killick/model/prompt"
	"killick/model/schema"
)

// maxEcho bounds how much of a faulty answer is shown to its model again.
const maxEcho = 4000

// structured asks for an answer in the schema and, if it has defects, once more with the
// defects named. read reads an answer and names its defects. Refusals are not retried, since
// naming defects does not help. Neither are requests that failed, so that a failing endpoint
// is not flooded.
func (d *dialogue) structured(
	ctx context.Context, s *schema.Schema, task string, read func(text string) []string,
) (Form, error) {
	task += prompt.Form(s.JSON)
	got, err := d.ask(ctx, s, Structured, false, endpoint.User(task))
	if err != nil {
		return "", err
	}
	faults, refused := faultsOf(got, read)
	if len(faults) > 0 && !refused {
		retry := corrective(task, got, faults)
		if got, err = d.ask(ctx, s, Corrected, got.CalledTool, retry...); err != nil {
			return "", err
		}
		if faults, refused = faultsOf(got, read); len(faults) == 0 && !refused {
			return Corrected, nil
		}
	}
	switch {
	case refused:
		return "", fmt.Errorf("asking for %s: %w", d.task, endpoint.ErrRefused)
	case len(faults) > 0:
		return "", fmt.Errorf("asking for %s: %w", d.task, ErrMalformed)
	}
	return Structured, nil
}

// faultsOf returns why a reply cannot be used: its defects, or that it is a refusal.
func faultsOf(r endpoint.Reply, read func(text string) []string) (faults []string, refused bool) {
	if r.Refused {
		return nil, true
	}
	faults = read(r.Text)
	switch {
	case len(faults) == 0:
		return nil, false
	case r.CalledTool: // whatever the text beside it says
		return []string{"a tool was called; the answer is to be text"}, false
	case declines(r.Text) || acknowledges(schema.WithoutThoughts(r.Text)):
		return nil, true
	case r.Cut:
		return []string{"the answer was cut off: write less, so that it can be complete"}, false
	}
	return faults, false
}

// corrective are the messages of the retry.
func corrective(task string, got endpoint.Reply, faults []string) []endpoint.Message {
	text := prompt.Correction(faults)
	if strings.TrimSpace(got.Text) == "" {
		return []endpoint.Message{endpoint.User(task + "\n\n" + text)}
	}
	return []endpoint.Message{
		endpoint.User(task), endpoint.Assistant(prompt.Shorten(got.Text, maxEcho)),
		endpoint.User(text),
	}
}
