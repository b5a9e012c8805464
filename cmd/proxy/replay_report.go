package main

import (
	"fmt"
	"strings"

	offline "killick/replay"
)

// replayReport is what the command found out. Its JSON is what --json prints.
type replayReport struct {
	Conversations []replayConversation `json:"conversations"`
	Strategies    []replayRow          `json:"strategies"`
}

type replayConversation struct {
	ID     string `json:"id"`
	File   string `json:"file"`
	Tokens int    `json:"tokens"`
	Turns  int    `json:"turns"`
}

type replayRow struct {
	Name          string             `json:"name"`
	Total         *offline.Figures   `json:"total"`
	Conversations []*offline.Figures `json:"conversations"` // in the order of the report's
}

func newReplayReport(strategies []offline.Strategy, results []offline.Result) *replayReport {
	r := &replayReport{}
	for _, res := range results {
		r.Conversations = append(r.Conversations, replayConversation{res.ID, res.File, res.Tokens, res.Turns})
	}
	for i, s := range strategies {
		row := replayRow{Name: s.Name}
		for _, res := range results {
			row.Conversations = append(row.Conversations, res.Figures[i])
		}
		row.Total = offline.Total(row.Conversations)
		r.Strategies = append(r.Strategies, row)
	}
	return r
}

func (r *replayReport) draw() string {
	var b strings.Builder
	for _, row := range r.Strategies {
		f := row.Total
		fmt.Fprintf(&b, "%-36s tok %5.1f%% past %5.1f%%", row.Name, 100*f.Tokens.All.Share(), 100*f.Tokens.Past32k.Share())
		for _, c := range f.Costs {
			fmt.Fprintf(&b, "  p=%.1f %5.1f%% +re %5.1f%% all %5.1f%%", c.Price, 100*c.Share(), 100*c.WithRereads(), 100*c.WithAllRereads())
		}
		fmt.Fprintf(&b, "  re %5.1f%% (%d of %d; edits %.1f%% others %.1f%%) below %.1f%% of %d", 100*f.Rereads.Past.All.Lost(), f.Rereads.Past.All.Of-f.Rereads.Past.All.Kept, f.Rereads.Past.All.Of,
			100*f.Rereads.Past.Edits.Lost(), 100*f.Rereads.Past.Others.Lost(), 100*f.Rereads.Below.All.Lost(), f.Rereads.Below.All.Of)
		fmt.Fprintf(&b, "  recall %.1f%% old %.1f%% (of %d, %d)", 100*f.Recall.All.Share(), 100*f.Recall.Old.Share(), f.Recall.All.Of, f.Recall.Old.Of)
		fmt.Fprintf(&b, "  changes %d/%d rewritten %d  %.1f/%.1f ms", f.Changes.Turns, f.Turns, f.Changes.Rewritten, f.Milliseconds(.5), f.Milliseconds(.99))
		fmt.Fprintf(&b, "  %+v %v %v %v\n", f.Validity, f.Actions, f.Made, f.FailOpens)
	}
	return b.String()
}
