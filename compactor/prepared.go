package compactor

import (
	"context"
	"time"

	"killick/chat"
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

// Draft is what the last record of a prepared form was rendered from, so that
// what the turns since have needed can be added before it is used.
type Draft struct {
	Folded  int      `json:"folded"`
	Room    int      `json:"room"`
	Summary *Summary `json:"summary"`
	Pins    *Pins    `json:"pins"`
}

// fold replaces turns by a record: the one that was prepared where that may take
// the place of a form of size, else one by rules at once.
func (w *work) fold(ctx context.Context, f *frontier, size int) (*Checkpoint, error) {
	if next := w.swapIn(ctx, f); next != nil && w.worth(f, next, size) {
		f.keepAll(next.Fold, f.pinner(w.count, w.conv.Handle))
		return next, nil
	}
	return f.fold(w.count, w.prober, w.conv.Handle)
}

// swapIn returns the prepared form, asked what the turns since have used; nil if
// none fits.
func (w *work) swapIn(ctx context.Context, f *frontier) *Checkpoint {
	if w.ready == nil {
		return nil
	}
	// One that was prepared when the conversation was as long as this is not used:
	// the request that started it, sent again, reads as it did.
	before := len(f.v.msgs) - 1
	if w.awaited {
		before++
	}
	next, err := w.loadPrepared(ctx, f.v, f.cp, before)
	if err != nil {
		w.failOpen("prepared_read", err)
	}
	if next == nil {
		return nil
	}
	if err := w.complete(f, next); err != nil {
		w.failOpen("prepared_invalid", err)
		return nil
	}
	return next
}

// loadPrepared returns the form that was prepared upon cp at a conversation of
// at most before messages.
func (w *work) loadPrepared(ctx context.Context, v *view, cp *Checkpoint, before int) (*Checkpoint, error) {
	for most := len(v.msgs); most > 0; {
		value, covers, err := w.ready.Longest(ctx, most)
		if err != nil || value == nil {
			return nil, err
		}
		next, err := decodeCheckpoint(value, covers, v.msgs)
		if err != nil {
			return nil, err
		}
		if next.Draft.whole() && next.At <= before && next.Base == baseOf(cp) {
			return next, nil
		}
		most = covers - 1
	}
	return nil, nil
}

func (d *Draft) whole() bool { return d != nil && d.Summary != nil && d.Pins != nil }

// complete adds to a prepared form what the turns behind its fold have used of
// what it replaces and its record does not tell, word for word. Lines that would
// spoil the probe are left out again.
func (w *work) complete(f *frontier, next *Checkpoint) error {
	last := len(next.Records) - 1
	kept := next.Draft
	next.Draft, next.Base = nil, Base{}
	record, err := chat.ParseMessage(next.Records[last].Raw)
	if err != nil {
		return err
	}
	d := &draft{folded: kept.Folded, room: kept.Room, summary: kept.Summary, pins: kept.Pins, before: textOf(next.Records[:last])}
	lines := neededLines(f.v.msgs[:next.Fold], f.v.msgs[next.Fold:], d.before+record.Text())
	known := len(d.summary.Facts)
	d.summary.Facts = appendNew(d.summary.Facts[:known:known], lines...)
	if len(d.summary.Facts) == known {
		return nil
	}
	probe, err := f.prove(d, next.Fold, w.prober)
	if err != nil {
		return nil // as it was prepared
	}
	if probe != nil && next.Probe != nil && probe.Verdict == Pass {
		probe = next.Probe // which the model's questions went into
	}
	next.Records = next.Records[:last:last]
	return f.seal(next, d, probe, w.count)
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
