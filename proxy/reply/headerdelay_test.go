package reply

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// flushes counts how often a reply was flushed.
type flushes struct {
	*httptest.ResponseRecorder
	n atomic.Int64
}

func (f *flushes) FlushError() error {
	f.n.Add(1)
	return nil
}

// TestHeaderWaitsForTheBody: for a moment, and not where there is none.
func TestHeaderWaitsForTheBody(t *testing.T) {
	for name, c := range map[string]struct {
		then func(w *Writer)
		want int64 // flushes, of which one comes from the last step
	}{
		"the body is there": {func(w *Writer) { _, _ = w.Write([]byte("data: 1\n\n")) }, 1},
		"the body is late":  {func(w *Writer) { time.Sleep(maxHeaderDelay); synctest.Wait() }, 2},
		"there is no body":  {func(w *Writer) { w.BodyDone() }, 1},
		"the request is over": {func(w *Writer) {
			w.Finish()
			time.Sleep(time.Second)
			synctest.Wait()
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &flushes{ResponseRecorder: httptest.NewRecorder()}
				w := New(out, httptest.NewRequest("GET", "/", nil), 0)
				w.WriteHeader(http.StatusOK)
				for range 2 {
					if err := w.FlushError(); err != nil || out.n.Load() > 0 {
						t.Fatalf("flushing the header: %v, %d flushes, want none yet", err,
							out.n.Load())
					}
				}
				c.then(w)
				if err := w.FlushError(); err != nil || out.n.Load() != c.want {
					t.Errorf("flushing then: %v, %d flushes, want %d", err, out.n.Load(), c.want)
				}
				w.Finish()
			})
		})
	}
}
