package compactor

import (
	"context"
	"encoding/json"
	"fmt"

	"killick/compaction"
	"killick/summary"
)

// Base says which form another one was prepared upon. It fits that form alone.
type Base struct {
	Covers int `json:"covers"`
	Fold   int `json:"fold"`
	At     int `json:"at"`
	After  int `json:"after"`
}

func baseOf(cp *Checkpoint) Base {
	if cp == nil {
		return Base{}
	}
	return Base{Covers: cp.Covers, Fold: cp.Fold, At: cp.At, After: cp.After}
}

// prepared is what a model wrote, and what was proven of it, about turns that are
// still sent whole.
type prepared struct {
	Version    int                    `json:"v"`
	Covers     int                    `json:"covers"` // messages of the conversation that it is about
	At         int                    `json:"at"`     // length of the conversation when it was made
	Base       Base                   `json:"base"`
	Form       string                 `json:"form"` // how it was got
	Statements []summary.Statement    `json:"statements"`
	Probe      *compaction.ModelProbe `json:"probe"`
}

// preparedVersion changes when what is stored would be read wrongly by newer
// code.
const preparedVersion = 3

// Bounds of a model's statements in a record.
const (
	maxStatements     = 60
	maxStatementBytes = 2000 // of one
)

func decodePrepared(value []byte, covers int) (*prepared, error) {
	var p prepared
	if json.Unmarshal(value, &p) != nil || p.Version != preparedVersion || p.Covers != covers || p.Probe == nil || !validStatements(p.Statements) {
		return nil, fmt.Errorf("%w: not what was prepared for %d messages", errCheckpoint, covers) // the cause may quote it
	}
	return &p, nil
}

// validStatements reports whether stored statements may stand in a record.
func validStatements(list []summary.Statement) bool {
	if len(list) == 0 || len(list) > maxStatements {
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
func (t *Task) fold(ctx context.Context, f *frontier, size int) (*Checkpoint, []string, error) {
	cp, d, err := f.fold(t.Count, t.Conversation.Handle)
	if cp == nil {
		return nil, nil, err
	}
	full, failed := t.withStatements(ctx, f, *cp, d)
	if failed != nil {
		t.FailOpen("prepared_refused", failed)
	}
	if full != nil && t.Budget.bounds().Enough(size, f.v.size(full, f.v.fixedSteady())+accountsOf(full.Records)) {
		return full, d.originals, err
	}
	return cp, d.originals, err
}

// worse reports whether what was verified at an earlier fold is what is to be
// reported: statements that are carried keep the verdict that they were given.
func worse(p, newer *compaction.ModelProbe) bool {
	rank := map[compaction.Verdict]int{compaction.Pass: 0, compaction.SoftFail: 1, compaction.Unprobed: 2, compaction.HardFail: 3}
	return p != nil && (newer == nil || rank[p.Verdict] > rank[newer.Verdict])
}

// withStatements returns cp with what models wrote in its last record, whose draft is
// d; nil if they wrote nothing. Decisions count the record without it.
func (t *Task) withStatements(ctx context.Context, f *frontier, cp Checkpoint, d *draft) (*Checkpoint, error) {
	old, next := f.old(), t.swapIn(ctx, f)
	var newer []summary.Statement
	var proven *compaction.ModelProbe
	if next != nil {
		newer, proven, cp.Written = next.Statements, next.Probe, next.Form
	}
	all := append(newer[:len(newer):len(newer)], old.Summary.Statements...)
	all = all[:min(len(all), maxStatements)]
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
	full, told := *d, *d.summary
	full.summary, told.Statements = &told, summary.Fitting(shown, d.room.Summary/2)
	if err := full.render(t.Policy.redact); err != nil {
		return nil, err
	}
	if err := full.count(t.Count); err != nil {
		return nil, err
	}
	last := len(cp.Records) - 1
	cp.Records = append(cp.Records[:last:last], Record{
		Kept: d.Kept, Raw: full.Raw, Tokens: d.Tokens, Plain: d.Raw, Account: max(0, full.Tokens-d.Tokens),
	})
	return &cp, nil
}

// swapIn returns what was prepared for the fold that takes the place of the form
// so far, nil if there is nothing.
func (t *Task) swapIn(ctx context.Context, f *frontier) *prepared {
	if t.Prepared == nil {
		return nil
	}
	// What was prepared when the conversation was as long as this is not used: the
	// request that started it, sent again, reads as it did.
	next, err := t.loadPrepared(ctx, len(f.v.msgs), f.cp, len(f.v.msgs)-1)
	if err != nil {
		t.FailOpen("prepared_read", err)
	}
	return next
}

// loadPrepared returns what was prepared upon cp, of at most so many messages, at
// a conversation of at most before.
func (t *Task) loadPrepared(ctx context.Context, most int, cp *Checkpoint, before int) (*prepared, error) {
	for most > 0 {
		value, covers, _, err := t.Prepared.Longest(ctx, most)
		if err != nil || value == nil {
			return nil, err
		}
		next, err := decodePrepared(value, covers)
		if err != nil {
			return nil, err
		}
		if next.At <= before && next.Base == baseOf(cp) {
			return next, nil
		}
		most = covers - 1
	}
	return nil, nil
}
