package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/internal/fakeupstream"
	"killick/view"
)

// TestFaultsUnderLoad: many clients, upstreams that fail in every way, and
// clients that leave. What a client takes for a whole reply is one, and what it
// gets besides is an error that the proxy promises.
func TestFaultsUnderLoad(t *testing.T) {
	const clients, each = 16, 25
	words := strings.Repeat("word ", 40)
	up := fakeupstream.New(fakeupstream.Config{
		Reply: func(*view.Request) fakeupstream.Reply { return fakeupstream.Reply{Content: words} },
		Fault: func(n int, _ *http.Request) fakeupstream.Fault {
			switch n % 11 {
			case 1:
				return fakeupstream.Fault{Drop: true}
			case 2:
				return fakeupstream.Fault{Drop: true, Reset: true}
			case 3:
				return fakeupstream.Fault{CutEvents: 5}
			case 4:
				return fakeupstream.Fault{CutBytes: 200, Reset: true}
			case 5:
				return fakeupstream.Fault{CutEvents: -1}
			case 6:
				return fakeupstream.Fault{Status: 529}
			case 7:
				return fakeupstream.Fault{PieceBytes: 7}
			case 8:
				return fakeupstream.Fault{Hang: time.Minute}
			}
			return fakeupstream.Fault{}
		},
	})
	defer up.Close()
	r := newRigAt(t, up.URL(), unchanged, func(o *Options) {
		o.Timeouts.FirstByte = 300 * time.Millisecond
		o.Logger = nil
	})
	allowed := map[int]bool{200: true, 502: true, 504: true, 529: true}
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(c)))
			for range each {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				if random.IntN(8) == 0 { // this one is in a hurry
					cancel()
					ctx, cancel = context.WithTimeout(t.Context(),
						time.Duration(random.IntN(5_000))*time.Microsecond)
				}
				stream := random.IntN(2) == 0
				const form = `{"model":"m","stream":%t,"messages":[{"role":"user","content":%q}]}`
				body := fmt.Sprintf(form, stream, strings.Repeat("x", random.IntN(50_000)))
				req := r.request("POST", chatPath, strings.NewReader(body)).WithContext(ctx)
				if res, err := r.client.Do(req); err == nil {
					got, err := io.ReadAll(res.Body)
					res.Body.Close()
					whole := bytes.Contains(got, []byte("[DONE]")) == stream &&
						bytes.Contains(got, []byte("word"))
					if !allowed[res.StatusCode] || err == nil && res.StatusCode == 200 && !whole {
						t.Errorf("got %d, %v, %.200s", res.StatusCode, err, got)
					}
				} else if ctx.Err() == nil {
					t.Errorf("no reply: %v", err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	r.eventually("everything to be given back", func() bool {
		return r.metric("killick_requests_in_flight") == 0 && r.proxy.budget.Held() == 0 &&
			r.proxy.deciding.Load() == 0
	})
	if got := r.metric("killick_requests_total"); got == 0 ||
		r.metric("killick_panics_total") != 0 {
		t.Errorf("%v requests counted, %v panics", got, r.metric("killick_panics_total"))
	}
}
