package e2e

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestRestartsBehindNginx stops one replica, starts it again and stops the other. The first one
// takes all requests then, although what nginx gave it first since its return is a stream that has
// not ended.
func TestRestartsBehindNginx(t *testing.T) {
	b := newBehindNginx(t)
	b.replicas[0].kill(t)
	b.testModels(t)
	b.replicas[0] = startProxy(t, nil, "--upstream", b.upstream, "--listen", b.addresses[0],
		"--data", filepath.Join(t.TempDir(), "store"))

	ctx, cancel := context.WithCancel(t.Context())
	var streams sync.WaitGroup
	defer streams.Wait()
	defer cancel()
	for n := 1; b.inFlight(t, 0) == 0 || b.inFlight(t, 1) == 0; n++ {
		streams.Go(func() {
			_, _ = exchange(ctx, http.MethodPost, b.url+chatPath, strings.NewReader(
				`{"model":"gpt-5.1","stream":true,"messages":[{"role":"user","content":"Go."}]}`))
		})
		waitFor(t, func() bool { return b.inFlight(t, 0)+b.inFlight(t, 1) == n })
	}
	b.replicas[1].kill(t)
	b.testModels(t)
}

// testModels has each replica that nginx knows asked at least once.
func (b *behindNginx) testModels(t *testing.T) {
	t.Helper()
	for range 6 {
		if status, text := send(t, http.MethodGet, b.url+"/v1/models", nil); status != 200 {
			t.Errorf("status %d: %s", status, text)
		}
	}
}

// inFlight returns how many requests a replica is at work on.
func (b *behindNginx) inFlight(t *testing.T, replica int) (n int) {
	t.Helper()
	value := valueOf(t, get(t, b.replicas[replica].admin+"/metrics"), "killick_requests_in_flight")
	for _, digit := range value {
		n = 10*n + int(digit-'0')
	}
	return n
}
