package compactor

import (
	"context"
	"errors"
	"fmt"
)

// To make a form, everything new in a conversation is read; in a conversation that is seen for the
// first time, all of it. So the number of requests that do this at once is limited: more of them
// would only make all of them late.

var errBusy = errors.New("too many requests are being compacted")

// admit waits for a slot, which the run keeps until leave is called. It reports false if the
// request's deadline passes first.
func (w *run) admit(ctx context.Context) bool {
	if w.deciding {
		return true
	}
	select {
	case w.engine.slots <- struct{}{}:
		w.deciding = true
	case <-ctx.Done():
		w.failOpen("compaction_busy", fmt.Errorf("%w: %w", errBusy, ctx.Err()))
	}
	return w.deciding
}

func (w *run) leave() {
	if w.deciding {
		<-w.engine.slots
		w.deciding = false
	}
}
