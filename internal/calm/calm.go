// Package calm gives memory back to the system once a burst of work is over. It
// never touches memory that is in use, and does nothing while things are busy.
package calm

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A burst leaves garbage behind that is collected when as much again was
// allocated, which in a proxy of idle streams may take hours.
const (
	calmCheck  = time.Second
	calmMost   = 256 << 10 // bytes allocated within a check: up to so many things are calm
	worthwhile = 4 << 20   // bytes allocated since memory was given back

	// What is given back and needed again soon costs more than it spares. After
	// that the next calm must last twice as long, up to a minute.
	soon        = 60 // checks
	mostPatient = 64
)

// GiveBack returns memory to the system whenever things have become calm, until
// ctx ends: what is garbage, and the pages of the program that were needed to
// start it or to begin a crowd of streams.
func GiveBack(ctx context.Context) {
	every := time.NewTicker(calmCheck)
	defer every.Stop()
	c := calm{since: soon, patience: 1}
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			if c.after(allocated()) {
				debug.FreeOSMemory()
				dropProgramPages()
			}
		}
	}
}

// calm tells when a burst is over.
type calm struct {
	last  uint64 // bytes allocated up to the check before
	given uint64 // up to when memory was given back

	since    int // checks since then
	quiet    int // checks that it has been calm for
	patience int // checks that it has to be
}

// after takes the bytes allocated so far, and tells whether to give memory back.
func (c *calm) after(allocated uint64) bool {
	c.since++
	c.quiet++
	if allocated-c.last > calmMost {
		c.quiet = 0
	}
	c.last = allocated
	if c.quiet < c.patience || allocated-c.given < worthwhile {
		return false
	}
	if c.since < soon {
		c.patience = min(2*c.patience, mostPatient)
	} else {
		c.patience = 1
	}
	c.given, c.since = allocated, 0
	return true
}

// allocated is the bytes of heap allocated since the start of the process.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0 // a runtime without it: nothing is given back
	}
	return sample[0].Value.Uint64()
}
