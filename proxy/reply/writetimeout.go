package reply

import (
	"net/http"
	"sync"
	"time"
)

// writeTimeout ends a stream of HTTP/2 whose client has not accepted in time what was
// written to it.
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

// end keeps a timer that fires late from a stream that is gone.
func (t *writeTimeout) end() {
	t.disarm()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}
