package transcript

import (
	"slices"

	"killick/view"
)

// withHosted returns calls that the provider ran, with those of message i and the results that it
// has of earlier ones.
func withHosted(calls []Call, m *view.Message, i int) []Call {
	for _, made := range m.HostedCalls() {
		if made.Name == "" {
			last := len(calls) - 1
			for last >= 0 && (calls[last].hostedID != made.ID || calls[last].Result >= 0) {
				last--
			}
			if last >= 0 {
				calls[last].answerHosted(made.Result, i)
			}
			continue
		}
		c := newHosted(&made, i)
		if made.Result != nil {
			c.answerHosted(made.Result, i)
		}
		calls = append(calls, c)
	}
	return calls
}

// newHosted reads a call in message i. What it does with files, it does at the provider.
func newHosted(made *view.HostedCall, i int) Call {
	c := readCall(made.Name, (&view.ToolCall{Arguments: made.Arguments}).Text(), i)
	c.Hosted, c.hostedID, c.part = true, made.ID, -1
	c.Effect, c.Paths = Other, nil
	if made.Runs {
		c.Effect = Runs
	}
	return c
}

func (c *Call) answerHosted(r *view.HostedResult, i int) {
	c.Result, c.ran, c.Exit = i, r, r.Exit
	switch {
	case r.Failed:
		c.Status = Failed
	case r.Exit == 0:
		c.Status = OK
	}
}

// Hosted returns the calls in messages [from, to) that the provider ran, in order. A range that
// begins or ends within a group may lack results.
func (t *Transcript) Hosted(from, to int) (calls []Call) {
	for i := from; i < to; i++ {
		calls = withHosted(calls, &t.Messages[i], i)
	}
	return calls
}

// WithHosted returns calls made in messages [from, to), which are in order, with those that the
// provider ran. A turn ends with the client's calls, so those of the provider precede them.
func (t *Transcript) WithHosted(calls []Call, from, to int) []Call {
	hosted := t.Hosted(from, to)
	if len(hosted) == 0 {
		return calls
	}
	all := slices.Concat(hosted, calls)
	slices.SortStableFunc(all, func(a, b Call) int { return a.Caller - b.Caller })
	return all
}
