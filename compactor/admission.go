package compactor

import (
	"context"
	"errors"
)

// Making a form takes as long as reading what is new in a conversation; for one that is seen
// for the first time, all of it. So only some requests do that at once: the others would only
// make all of them late.

var errBusy = errors.New("as many requests as may are being compacted")

// admit waits for a slot, which the run keeps until leave is called. It reports false where
// the request's time is up first.
func (w *run) admit(ctx context.Context) bool {
	if w.deciding {
		return true
	}
	select {
	case w.engine.slots <- struct{}{}:
		w.deciding = true
	case <-ctx.Done():
		w.failOpen("compaction_busy", errBusy)
	}
	return w.deciding
}

func (w *run) leave() {
	if w.deciding {
		<-w.engine.slots
		w.deciding = false
	}
}
