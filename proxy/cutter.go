package proxy

import (
	"net/http"
	"sync"
	"time"
)

// cutter ends a stream of HTTP/2 whose client has not taken what was written to
// it in time.
type cutter struct {
	ctl *http.ResponseController

	mu    sync.Mutex
	timer *time.Timer
	ended bool
}

func (c *cutter) arm(after time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil {
		c.timer = time.AfterFunc(after, c.cut)
	} else {
		c.timer.Reset(after)
	}
}

func (c *cutter) disarm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		_ = c.ctl.SetWriteDeadline(time.Now().Add(-time.Second))
	}
}

// end keeps a cut that is late from reaching for a stream that is gone.
func (c *cutter) end() {
	c.disarm()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}
