package model

import (
	"context"
	"fmt"
	"strings"
)

// Form is how an answer came to follow its schema.
type Form string

// The forms. There is no fallback to plain text: it could not carry quotes.
const (
	Structured Form = "structured" // at once
	Corrected  Form = "corrected"  // after a retry that named the faults
)

// mostEcho bounds how much of a faulty answer is shown to its model again.
const mostEcho = 4000

// failure is why an answer is not used.
type failure struct {
	refused bool
	faults  []string
}

func (f failure) err(task string) error {
	if f.refused {
		return fmt.Errorf("asking for %s: %w", task, ErrRefused)
	}
	return fmt.Errorf("asking for %s: %w", task, ErrMalformed)
}

// structured asks for the shape and, where the answer has faults, once more with
// the faults named. read takes an answer and names its faults. A refusal is not
// asked again: naming faults does not mend it. Nor is a request that failed on its
// way, so that a failing endpoint gets no storm.
func (d *dialogue) structured(ctx context.Context, s *shape, task string, read func(text string) []string) (Form, error) {
	got, err := d.ask(ctx, request{turns: []turn{told(task)}, shape: s, form: Structured})
	if err != nil {
		return "", err
	}
	failed := got.judge(read)
	if failed == nil {
		return Structured, nil
	}
	if failed.refused {
		return "", failed.err(d.task)
	}
	r := request{turns: corrective(task, got, failed.faults), shape: s, noCalls: got.called, form: Corrected}
	if got, err = d.ask(ctx, r); err != nil {
		return "", err
	}
	if failed = got.judge(read); failed != nil {
		return "", failed.err(d.task)
	}
	return Corrected, nil
}

// judge returns why a reply does not hold, nil if it does.
func (r reply) judge(read func(text string) []string) *failure {
	if r.refused {
		return &failure{refused: true}
	}
	if r.called {
		return &failure{faults: []string{"a tool was called; the answer is to be text"}}
	}
	faults := read(r.text)
	if len(faults) == 0 {
		return nil
	}
	if declines(r.text) || acknowledges(afterThoughts(r.text)) {
		return &failure{refused: true, faults: faults}
	}
	if r.cut {
		faults = []string{"the answer was cut off: write less, so that it can be complete"}
	}
	return &failure{faults: faults}
}

// corrective are the turns of the retry.
func corrective(task string, got reply, faults []string) []turn {
	text := "Your answer cannot be used:\n- " + strings.Join(faults, "\n- ") +
		"\n\nWrite the whole answer again, in the form that was asked for, without these faults. Do not apologise and do not explain."
	if strings.TrimSpace(got.text) == "" {
		return []turn{told(task + "\n\n" + text)}
	}
	return []turn{told(task), answer(shorten(got.text, mostEcho)), told(text)}
}
