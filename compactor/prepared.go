package compactor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
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

// prepared is what a model told, and was asked, of turns that are still sent
// whole.
type prepared struct {
	Version int      `json:"v"`
	Covers  int      `json:"covers"` // messages of the conversation that it tells of
	At      int      `json:"at"`     // length of the conversation when it was made
	Base    Base     `json:"base"`
	Form    string   `json:"form"` // how it was got
	Account *Account `json:"account"`
	Probe   *Probe   `json:"probe,omitempty"`
}

// preparedVersion changes when what is stored would be read wrongly by newer
// code.
const preparedVersion = 2

func decodePrepared(value []byte, covers int) (*prepared, error) {
	var p prepared
	if json.Unmarshal(value, &p) != nil || p.Version != preparedVersion || p.Covers != covers || p.Account.empty() || p.Account.validate() != nil {
		return nil, fmt.Errorf("%w: not what was prepared for %d messages", errCheckpoint, covers) // the cause may quote it
	}
	return &p, nil
}

// fold replaces turns by a record that the rules make. What a model has told of
// these turns in the meantime stands beside it. Where the rules' record was refused
// and the window is at stake, the model's words may be what it lacked.
func (w *work) fold(ctx context.Context, f *frontier, size int) (*Checkpoint, error) {
	cp, d, err := f.fold(w.count, w.prober, w.conv.Handle)
	refused := errors.Is(err, errProbe)
	if err != nil && (!refused || size <= w.budget.Window) {
		return nil, err
	}
	told := w.swapIn(ctx, f)
	full, failed := w.retell(f, *cp, d, told, refused)
	if failed != nil {
		w.failOpen("prepared_refused", failed)
	}
	if full != nil && w.enough(size, f.v.size(full, f.v.fixedSteady())+accountsOf(full.Records)) {
		return full, nil
	}
	if refused {
		if failed := f.seal(cp, d, cp.Probe, w.count); failed != nil {
			return nil, failed
		}
	}
	return cp, err
}

// retell returns cp with what models told in its last record, whose draft is d;
// nil if they told nothing. refused: that record may not be used as it is.
func (w *work) retell(f *frontier, cp Checkpoint, d *draft, next *prepared, refused bool) (*Checkpoint, error) {
	var newer *Account
	if next != nil {
		newer = w.stillTrue(f, next, cp.Fold)
		cp.Written = next.Form
	}
	old := f.old()
	cp.Account = old.Account.and(newer, d.found)
	full := d.with(cp.Account, "")
	if d.folded < cp.Fold { // other records stand before it
		full = d.with(newer, textOf(old.Records))
	}
	if full.account.empty() {
		return nil, nil
	}
	lines, err := w.asked(f, full, cp.Fold, next)
	if err != nil {
		return nil, err
	}
	probe, err := f.prove(full, cp.Fold, w.prober)
	if len(lines) > 0 {
		more := d.with(full.account.asked(lines), full.before)
		if proven, failed := f.prove(more, cp.Fold, w.prober); failed == nil {
			full, probe, err, cp.Account = more, proven, nil, cp.Account.asked(lines)
		}
	}
	if err != nil {
		return nil, err
	}
	if next != nil && next.Probe != nil && probe != nil && probe.Verdict == Pass {
		probe = next.Probe // which a model's questions went into
	}
	if refused {
		err = f.seal(&cp, full, probe, w.count)
	} else {
		err = cp.retold(d, full, probe, w.count)
	}
	if err != nil {
		return nil, err
	}
	return &cp, nil
}

// retold puts the record of full in the place of the last, which is d's.
func (cp *Checkpoint) retold(d, full *draft, probe *Probe, c Counter) error {
	if err := full.count(c); err != nil {
		return err
	}
	cp.Probe = probe
	last := len(cp.Records) - 1
	cp.Records = append(cp.Records[:last:last], Record{
		Raw: full.Raw, Tokens: d.Tokens, Plain: d.Raw, Account: max(0, full.Tokens-d.Tokens),
	})
	return nil
}

// asked returns the lines of the turns that next tells of which the turns since
// have used and the record does not tell, word for word.
func (w *work) asked(f *frontier, full *draft, fold int, next *prepared) ([]string, error) {
	if next == nil {
		return nil, nil
	}
	if err := full.render(w.policy.redact); err != nil {
		return nil, err
	}
	told := min(next.Covers, fold)
	return neededLines(f.v.msgs[:told], f.v.msgs[told:], full.before+full.text), nil
}

// stillTrue is what a model told, without what the turns behind those that it told
// of, up to message to, have made untrue.
func (w *work) stillTrue(f *frontier, next *prepared, to int) *Account {
	if w.writing.Contradictions == nil || next.Covers >= to {
		return next.Account
	}
	return next.Account.less(w.writing.Contradictions(f.v.msgs[next.Covers:to]))
}

// swapIn returns what was prepared for the fold that takes the place of the form
// so far, nil if there is nothing.
func (w *work) swapIn(ctx context.Context, f *frontier) *prepared {
	if w.ready == nil {
		return nil
	}
	// What was prepared when the conversation was as long as this is not used: the
	// request that started it, sent again, reads as it did.
	before := len(f.v.msgs) - 1
	if w.awaited {
		before++
	}
	next, err := w.loadPrepared(ctx, len(f.v.msgs), f.cp, before)
	if err != nil {
		w.failOpen("prepared_read", err)
	}
	return next
}

// loadPrepared returns what was prepared upon cp, of at most so many messages, at
// a conversation of at most before.
func (w *work) loadPrepared(ctx context.Context, most int, cp *Checkpoint, before int) (*prepared, error) {
	for most > 0 {
		value, covers, _, err := w.ready.Longest(ctx, most)
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

// await waits for the form that is being prepared, or starts on one, when the
// request would overflow the window otherwise. It tells whether there is one now.
func (w *work) await(ctx context.Context, cp *Checkpoint) bool {
	if w.author == nil || w.ready == nil || w.writing.MaxWait <= 0 {
		return false
	}
	j := w.writing.pool.of(len(w.v.msgs), w.conv.Name)
	if j == nil {
		if j = w.reserve(cp, nil, w.v.size(cp, w.v.fixedSteady()), w.limit(cp)); j == nil {
			return false
		}
		j.start()
	}
	w.res.Waited = true
	timer := time.NewTimer(w.writing.MaxWait)
	defer timer.Stop()
	select {
	case <-j.done:
		w.awaited = true
	case <-timer.C:
		w.failOpen("wait_timeout", nil)
	case <-ctx.Done():
	}
	return w.awaited
}
