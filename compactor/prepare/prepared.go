package prepare

import (
	"context"
	"encoding/json"
	"fmt"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/summary"
)

// prepared is what a model wrote, and what was proven of it, about turns that are
// still sent whole.
type stored struct {
	Version    int                    `json:"v"`
	Covers     int                    `json:"covers"` // messages of the conversation that it is about
	At         int                    `json:"at"`     // length of the conversation when it was made
	Base       checkpoint.Base        `json:"base"`
	Form       string                 `json:"form"` // how it was got
	Statements []summary.Statement    `json:"statements"`
	Probe      *compaction.ModelProbe `json:"probe"`
}

// preparedVersion changes when what is stored would be read wrongly by newer
// code.
const storedVersion = 3

// Bounds of a model's statements in a record.
const (
	MaxStatements     = 60
	maxStatementBytes = 2000 // of one
)

func decodeStored(value []byte, covers int) (*stored, error) {
	var p stored
	if json.Unmarshal(value, &p) != nil || p.Version != storedVersion || p.Covers != covers || p.Probe == nil || !validStatements(p.Statements) {
		return nil, fmt.Errorf("%w: not what was prepared for %d messages", checkpoint.ErrUnreadable, covers) // the cause may quote it
	}
	return &p, nil
}

// validStatements reports whether stored statements may stand in a record.
func validStatements(list []summary.Statement) bool {
	if len(list) == 0 || len(list) > MaxStatements {
		return false
	}
	for i := range list {
		if s := &list[i]; s.Text == "" || len(s.Text)+len(s.Quote)+len(s.Section) > maxStatementBytes {
			return false
		}
	}
	return true
}

// fold replaces turns by a record of what they hold by structure. What a model has
// written of these turns in the meantime stands beside it.
func (t *Task) Fold(ctx context.Context, f *history.History, size int) (*checkpoint.Checkpoint, []string, error) {
	cp, d, err := fold.Make(f, t.Count, t.Conversation.Handle)
	if cp == nil {
		return nil, nil, err
	}
	full, failed := t.withStatements(ctx, f, *cp, d)
	if failed != nil {
		t.FailOpen("prepared_refused", failed)
	}
	if full != nil && t.Budget.Bounds().Enough(size, checkpoint.Size(f.View, full, f.View.FixedRounded())+checkpoint.ModelTokens(full.Records)) {
		return full, d.Originals, err
	}
	return cp, d.Originals, err
}

// worse reports whether what was verified at an earlier fold is what is to be
// reported: statements that are carried keep the verdict that they were given.
func worse(p, newer *compaction.ModelProbe) bool {
	rank := map[compaction.Verdict]int{compaction.Pass: 0, compaction.SoftFail: 1, compaction.Unprobed: 2, compaction.HardFail: 3}
	return p != nil && (newer == nil || rank[p.Verdict] > rank[newer.Verdict])
}

// withStatements returns cp with what models wrote in its last record, whose draft is
// d; nil if they wrote nothing. Decisions count the record without it.
func (t *Task) withStatements(ctx context.Context, f *history.History, cp checkpoint.Checkpoint, d *fold.Draft) (*checkpoint.Checkpoint, error) {
	old, next := fold.Old(f), t.swapIn(ctx, f)
	var newer []summary.Statement
	var proven *compaction.ModelProbe
	if next != nil {
		newer, proven, cp.Written = next.Statements, next.Probe, next.Form
	}
	all := append(newer[:len(newer):len(newer)], old.Summary.Statements...)
	all = all[:min(len(all), MaxStatements)]
	shown := all
	if len(cp.Records) > 1 { // the records before tell of the older ones
		shown = newer
	}
	sum := *cp.Summary
	sum.Statements = all
	cp.Summary = &sum
	if len(all) > len(newer) && old.Probe != nil && worse(old.Probe.Model, proven) {
		carried := *old.Probe.Model
		carried.Carried, proven = true, &carried
	}
	if cp.Probe != nil {
		p := *cp.Probe
		p.Model = proven
		cp.Probe = &p
	} else if proven != nil {
		cp.Probe = &compaction.Probe{Model: proven}
	}
	if len(shown) == 0 {
		return &cp, nil
	}
	full, told := *d, *d.Summary
	full.Summary, told.Statements = &told, summary.Fitting(shown, d.Room.Summary/2)
	if err := full.Render(t.Policy.Redact); err != nil {
		return nil, err
	}
	if err := full.Count(t.Count); err != nil {
		return nil, err
	}
	last := len(cp.Records) - 1
	cp.Records = append(cp.Records[:last:last], checkpoint.Record{
		Kept: d.Kept, Raw: full.Raw, Tokens: d.Tokens, Plain: d.Raw, ModelTokens: max(0, full.Tokens-d.Tokens),
	})
	return &cp, nil
}

// swapIn returns what was prepared for the fold that takes the place of the form
// so far, nil if there is nothing.
func (t *Task) swapIn(ctx context.Context, f *history.History) *stored {
	if t.Prepared == nil {
		return nil
	}
	// What was prepared when the conversation was as long as this is not used: the
	// request that started it, sent again, reads as it did.
	next, err := t.load(ctx, len(f.View.Messages), f.Form, len(f.View.Messages)-1)
	if err != nil {
		t.FailOpen("prepared_read", err)
	}
	return next
}

// loadPrepared returns what was prepared upon cp, of at most so many messages, at
// a conversation of at most before.
func (t *Task) load(ctx context.Context, most int, cp *checkpoint.Checkpoint, before int) (*stored, error) {
	for most > 0 {
		value, covers, _, err := t.Prepared.Longest(ctx, most)
		if err != nil || value == nil {
			return nil, err
		}
		next, err := decodeStored(value, covers)
		if err != nil {
			return nil, err
		}
		if next.At <= before && next.Base == checkpoint.BaseOf(cp) {
			return next, nil
		}
		most = covers - 1
	}
	return nil, nil
}
