package fold

import (
	"fmt"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/rawjson"
	"killick/summary/quotes"
	"killick/summary/workset"
	"killick/transcript"
)

// sentOutput returns the output of a call as it is sent, without credentials. It is read once for
// all folds of a request.
func sentOutput(h *history.History, src *quotes.Source, c *transcript.Call) string {
	i := c.Result
	switch _, truncated := h.View.Truncated[i]; {
	case !truncated:
		return src.SafeOutput(c)
	case !c.PrintedAll():
		return ""
	}
	type key struct{ index int }
	return h.View.Once(key{i}, func() any {
		return src.Redacted(src.Output(c, h.View.Messages[i].Text()))
	}).(string)
}

// working returns the working set at the end of the folded turns, chosen from the blocks of a pool,
// and how many messages the conversation must have in common with this one for it to be true.
func working(
	h *history.History, src *quotes.Source, pool *workset.Pool, to int, k *Keeper,
) (set checkpoint.Working, covers int, err error) {
	after := &workset.Unfolded{
		From: to, To: len(h.View.Messages),
		Calls: h.Transcript.Calls[len(h.Transcript.CallsBefore(to)):],
		Sent: func(c *transcript.Call) string {
			if h.Masked(c.Result) {
				return ""
			}
			return sentOutput(h, src, c)
		},
	}
	blocks := pool.Choose(src, after, h.Policy.WorkingSetRoom(h.Budget))
	if len(blocks) == 0 {
		return checkpoint.Working{}, 0, nil
	}
	for i := range blocks {
		covers = max(covers, blocks[i].Touched)
	}
	text := h.Policy.Redact.Of(workset.Render(blocks))
	raw := h.View.Request.Format().Spelling().UserMessage(rawjson.AppendQuoted(nil, text))
	m, err := h.View.Parse(raw)
	if err != nil {
		return checkpoint.Working{}, 0, fmt.Errorf("counting a working set: %w", err)
	}
	return checkpoint.Working{Raw: raw, Tokens: k.count.Message(&m)}, covers, nil
}
