package reply

import (
	"sync"
	"time"
)

// maxHeaderDelay is how long the header of a reply waits for the first bytes of its body.
// One packet for both saves the client a wake-up, exactly when it waits for its first
// token.
const maxHeaderDelay = time.Millisecond

// headerDelay lets the header of a reply wait for its body. The reverse proxy flushes it
// immediately, and its next read usually has the first event. The zero value waits.
type headerDelay struct {
	// mu is held while the reply is written: a separate goroutine sends the header when it has
	// waited long enough.
	mu    sync.Mutex
	timer *time.Timer
	over  bool // there is nothing more to wait for
}

// wait reports whether the header is to wait. flush sends it in the end. The caller holds mu, as
// for all of these.
func (d *headerDelay) wait(flush func() error) bool {
	if d.over {
		return false
	}
	if d.timer == nil {
		d.timer = time.AfterFunc(maxHeaderDelay, func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if !d.over {
				d.over = true
				_ = flush() // the next write gets the error
			}
		})
	}
	return true
}

// end ends the wait: the body is being written, or complete.
func (d *headerDelay) end() {
	d.over = true
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
