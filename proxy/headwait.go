package proxy

import (
	"sync"
	"time"
)

// longestHeadWait is how long the header of a reply waits for the first bytes of
// its body. Both in one packet are one wake-up less for the client, just where it
// waits for its first token.
const longestHeadWait = time.Millisecond

// headWait lets the header of a reply wait for its body. The reverse proxy has
// it flushed at once, from another goroutine; what it reads then mostly brings
// the first event. The zero value waits.
type headWait struct {
	// mu is held while the reply is written to: the header that has waited long
	// enough goes out from a goroutine of its own.
	mu    sync.Mutex
	timer *time.Timer
	over  bool // there is nothing more to wait for
}

// wait tells whether the header of w is to wait. The caller holds mu, as for all
// of these.
func (h *headWait) wait(w *reply) bool {
	if h.over {
		return false
	}
	if h.timer == nil {
		h.timer = time.AfterFunc(longestHeadWait, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			if !h.over {
				h.over = true
				_ = w.flush() // whoever writes next hears what is wrong
			}
		})
	}
	return true
}

// end ends the wait: the body is written, or over.
func (h *headWait) end() {
	h.over = true
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
}
