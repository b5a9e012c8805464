package transcript

import (
	"slices"

	"killick/view"
)

// newHosted reads a call in message i. What it does with files, it does at the provider.
func newHosted(made *view.HostedCall, i int) Call {
	c := readCall(made.Name, (&view.ToolCall{Arguments: made.Arguments}).Text(), i)
	c.Hosted, c.part = true, -1
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
// begins or ends within a group may lack results. A result belongs to the nearest earlier call with
// its id that has none yet.
func (t *Transcript) Hosted(from, to int) (calls []Call) {
	waiting := map[string][]int{} // for a result, by id
	for i := from; i < to; i++ {
		for _, made := range t.Messages[i].HostedCalls() {
			open := waiting[made.ID]
			last := len(open) - 1
			switch {
			case made.Name != "" || made.Result == nil:
				c := newHosted(&made, i)
				if made.Result != nil {
					c.answerHosted(made.Result, i)
				} else {
					waiting[made.ID] = append(waiting[made.ID], len(calls))
				}
				calls = append(calls, c)
			case last >= 0:
				calls[open[last]].answerHosted(made.Result, i)
				waiting[made.ID] = open[:last]
			}
		}
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
