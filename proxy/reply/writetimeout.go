package reply

import (
	"net/http"
	"sync"
	"time"
)

// writeTimeout ends an HTTP/2 stream whose client does not read in time.
type writeTimeout struct {
	ctl *http.ResponseController

	mu    sync.Mutex
	timer *time.Timer
	ended bool
}

func (t *writeTimeout) arm(after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		t.timer = time.AfterFunc(after, t.fire)
	} else {
		t.timer.Reset(after)
	}
}

func (t *writeTimeout) disarm() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *writeTimeout) fire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		_ = t.ctl.SetWriteDeadline(time.Now().Add(-time.Second))
	}
}

// end prevents a late timer from acting on a finished stream.
func (t *writeTimeout) end() {
	t.disarm()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}
