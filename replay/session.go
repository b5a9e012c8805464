package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"killick/chat"
	"killick/rawjson"
	"killick/replay/sessions"
)

// ErrNoAnswer says that a session file has nothing to replay.
var ErrNoAnswer = sessions.ErrNoAnswer

// fromSession returns the conversations of a session file. cut is true if its last line has no end,
// as while it is being written.
func fromSession(name string, file *sessions.Reader, cut bool) (all []*Transcript, err error) {
	conversations, unknown, err := file.Conversations()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, c := range conversations {
		t := &Transcript{ID: cmp.Or(c.ID, name), File: name, Notes: map[string]int{}}
		t.note(c.Note)
		messages := c.Messages
		if len(c.Requests) > 0 {
			t.Usage = recordedUsage(t.ID, c)
			if err := t.Usage.validateSession(); err != nil {
				t.Usage, messages = nil, c.Longest
				t.note("its times or token counts cannot be right: " + err.Error())
			}
		}
		for _, raw := range messages {
			m, err := chat.ParseMessage(raw)
			if err != nil {
				return nil, fmt.Errorf("%s: conversation %q: %w", name, t.ID, err)
			}
			t.Messages = append(t.Messages, m)
		}
		if c.Model != "" {
			t.Fields = append([]byte(`"model":`), rawjson.AppendQuoted(nil, c.Model)...)
		}
		all = append(all, t)
	}
	for typ, n := range unknown {
		all[0].Notes["lines of the unknown type "+typ+", left out"] += n
	}
	if cut {
		all[0].Notes["last lines without an end, left out"]++
	}
	return all, nil
}

// note notes why a conversation has no usage.
func (t *Transcript) note(reason string) {
	if reason != "" {
		t.Notes["conversations billed without usage: "+reason]++
	}
}

func recordedUsage(id string, c *sessions.Conversation) *Usage {
	u := &Usage{ID: id}
	if c.Lasting {
		u.TTL = int(time.Hour.Seconds())
	}
	at := func(t time.Time) seconds { return seconds(t.UnixMilli()) / 1000 }
	for _, r := range c.Requests {
		u.Requests = append(u.Requests, UsageOfAnswer{Messages: r.Messages, Skip: r.Skip,
			Model: r.Model, Sent: at(r.Sent), Ended: at(r.Ended), Read: r.Read,
			Written: r.Written, Fresh: r.Fresh, Output: r.Output, Reply: r.Reply})
	}
	return u
}

// validateSession validates the usage of a session file. The preamble, which is not fitted yet, is
// at most the first request.
func (u *Usage) validateSession() error {
	if err := u.validate(); err != nil {
		return err
	}
	if n := u.Requests[0].Total(); n > MaxPreamble {
		return fmt.Errorf("request 1: %d tokens, want at most %d", n, MaxPreamble)
	}
	return nil
}

// FitUsage finds the scale and the preamble of a conversation from its recorded usage: what
// requests grew by for each token of their new messages, and what the first request had beside
// messages.
func (t *Transcript) FitUsage(counter Counter) {
	type growth struct {
		ratio float64
		ours  int
	}
	var all []growth
	sum := 0
	tokens := make([]int, len(t.Messages))
	for i := range t.Messages {
		tokens[i] = counter.Message(&t.Messages[i])
	}
	u := *t.Usage
	for i := 1; i < len(u.Requests); i++ {
		before, r := &u.Requests[i-1], &u.Requests[i]
		grown, ours := r.Total()-before.Total(), 0
		for at := before.Messages; at < r.Messages; at++ {
			ours += tokens[at]
		}
		if slices.Equal(before.Skip, r.Skip) && grown > 0 && ours > 0 {
			all = append(all, growth{float64(grown) / float64(ours), ours})
			sum += ours
		}
	}
	// The median token, not the mean: some requests grow by what the messages do not show.
	slices.SortFunc(all, func(a, b growth) int { return cmp.Compare(a.ratio, b.ratio) })
	u.Scale = 1
	for seen, i := 0, 0; i < len(all) && 2*seen < sum; i++ {
		u.Scale = all[i].ratio
		seen += all[i].ours
	}
	if u.Scale < minScale || u.Scale > maxScale {
		u.Scale = 1 // requests grew by other things than text
	}
	first, messages := &u.Requests[0], 0
	for i := range first.Messages {
		if first.holds(i) {
			messages += tokens[i]
		}
	}
	u.Preamble = max(0, first.Total()-int(u.Scale*float64(messages)))
	t.Usage, t.Preamble, t.Scale = &u, u.Preamble, u.Scale
}

// WithoutCopies removes requests whose reply an earlier conversation has too, and conversations
// without others: the file of a fork begins with a copy of what it was forked from.
func WithoutCopies(all []*Transcript) (rest []*Transcript, copies int) {
	seen := map[string]bool{}
	for _, t := range all {
		if t.Usage == nil {
			rest = append(rest, t)
			continue
		}
		u := *t.Usage
		u.Requests = nil
		for _, r := range t.Usage.Requests {
			if r.Reply != "" && seen[r.Reply] {
				copies++
				continue
			}
			seen[r.Reply] = true
			u.Requests = append(u.Requests, r)
		}
		if t.Usage = &u; len(u.Requests) > 0 {
			rest = append(rest, t)
		}
	}
	return rest, copies
}
