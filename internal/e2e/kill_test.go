package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"killick/internal/fakeupstream"
)

// kept is a request that was answered while its client lived through kills, and
// what the upstream got for it.
type kept struct {
	owner, body string
	forwarded   []byte
	compacted   bool
}

// target is a proxy that is killed again and again, with what outlives it.
type target struct {
	t     *testing.T
	up    *fakeupstream.Server
	store string

	mu      sync.Mutex
	arrived map[string][]byte // what the upstream got, by the request's name
	kept    []kept
	sent    int
}

func newTarget(t *testing.T) *target {
	g := &target{t: t, store: filepath.Join(t.TempDir(), "store"), arrived: map[string][]byte{}}
	g.up = fakeupstream.New(fakeupstream.Config{Fault: func(_ int,
		r *http.Request) fakeupstream.Fault {
		if body, err := io.ReadAll(r.Body); err == nil {
			g.mu.Lock()
			g.arrived[r.Header.Get(headerRequest)] = body
			g.mu.Unlock()
		}
		return fakeupstream.Fault{}
	}})
	t.Cleanup(g.up.Close)
	return g
}

func (g *target) start() *started {
	g.t.Helper()
	// Where cached input costs no less than fresh one, every form pays at once.
	const prices = `KILLICK_MODELS={"*": {prices: {input: 1, cached: 1}}}`
	return startProxy(g.t, []string{prices}, "--upstream", g.up.URL(), "--data", g.store,
		"--profile", "balanced", "--trigger", "2000", "--target", "1000")
}

// ask sends one request and returns what the upstream got for it and what the
// reply reports. It fails where the proxy is killed under it.
func (g *target) ask(s *started, owner, body string) (forwarded []byte, action string, err error) {
	g.mu.Lock()
	g.sent++
	name := fmt.Sprint(g.sent)
	g.mu.Unlock()
	f, err := exchange(context.Background(), http.MethodPost, s.public+chatPath,
		strings.NewReader(body), "Authorization", "Bearer sk-"+owner, headerRequest, name)
	if err != nil {
		return nil, "", err
	}
	if f.status != http.StatusOK {
		g.t.Errorf("%s: status %d, %s", owner, f.status, f.reply)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	forwarded = g.arrived[name]
	delete(g.arrived, name)
	return forwarded, f.header.Get("Killick-Action"), nil
}

// load sends conversations of one client until the proxy is killed.
func (g *target) load(s *started, owner string, from int) {
	for number := from; ; number++ {
		msgs := talk(owner, number, clientTurns)
		// past the trigger from the first request on
		for turn := clientTurns / 2; turn < clientTurns; turn++ {
			body := fmt.Sprintf(`{"model":"gpt-5.1","messages":[%s]}`,
				strings.Join(msgs[:turn+2], ""))
			forwarded, action, err := g.ask(s, owner, body)
			if err != nil {
				return
			}
			g.mu.Lock()
			g.kept = append(g.kept, kept{owner, body, forwarded, action != "none"})
			g.mu.Unlock()
		}
	}
}

// check sends requests again that were answered before a kill. Whatever was sent to a client
// stands: the same bytes go out, and a compacted form is found, not made again.
func (g *target) check(s *started, some []kept) (compacted int) {
	g.t.Helper()
	for _, k := range some {
		forwarded, action, err := g.ask(s, k.owner, k.body)
		if err != nil {
			g.t.Fatal(err)
		}
		if !bytes.Equal(forwarded, k.forwarded) {
			g.t.Errorf("%s: %d bytes were forwarded before the kill, %d other ones after it",
				k.owner, len(k.forwarded), len(forwarded))
		}
		if k.compacted {
			compacted++
			if !strings.Contains(action, "reuse") {
				g.t.Errorf("%s: the checkpoint is lost: %q after the kill", k.owner, action)
			}
		}
	}
	return compacted
}

// TestKilledAgainAndAgain kills the proxy under load KILLICK_KILLS times (make
// kills: 50) and starts it on what it left.
func TestKilledAgainAndAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes of their own, and without -short too")
	}
	noLeaks(t)
	kills := numberFrom(t, "KILLICK_KILLS", 2)
	g, random := newTarget(t), rand.New(rand.NewPCG(5, 6))
	checked := 0
	for round := range kills {
		s := g.start()
		checked += g.check(s, g.recent(random))
		var clients sync.WaitGroup
		for c := range 4 {
			clients.Go(func() { g.load(s, fmt.Sprintf("zq%dzq", c), round*1000) })
		}
		enough := g.answered() + 10 + random.IntN(60)
		waitFor(t, func() bool { return g.answered() >= enough })
		s.kill(t)
		clients.Wait()
		http.DefaultClient.CloseIdleConnections()
	}
	s := g.start()
	checked += g.check(s, g.recent(random))
	s.kill(t)
	if aside, _ := filepath.Glob(g.store + ".*-*"); len(aside) > 0 {
		t.Errorf("the store was set aside as damaged: %v", aside)
	}
	t.Logf("%d kills under load, %d requests answered between them, %d compacted ones checked "+
		"after a kill", kills, len(g.kept), checked)
	if checked < kills {
		t.Errorf("%d compacted requests were checked after %d kills, want more", checked, kills)
	}
}

func (g *target) answered() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.kept)
}

// recent returns the last requests that were answered, and some older ones.
func (g *target) recent(random *rand.Rand) (some []kept) {
	g.mu.Lock()
	defer g.mu.Unlock()
	some = append(some, g.kept[max(0, len(g.kept)-30):]...)
	for range min(30, len(g.kept)) {
		some = append(some, g.kept[random.IntN(len(g.kept))])
	}
	return some
}

// SIGTERM under load: every stream that has begun comes to its own end.
func TestSIGTERMUnderLoadLosesNoStream(t *testing.T) {
	noLeaks(t)
	const streams = 40
	up := fakeupstream.New(fakeupstream.Config{
		Fault: func(int, *http.Request) fakeupstream.Fault {
			return fakeupstream.Fault{Pause: 40 * time.Millisecond}
		},
	})
	defer up.Close()
	s := startProxy(t, []string{"KILLICK_CACHE_IN_MEMORY=true"}, "--upstream", up.URL(),
		"--trigger", "2000", "--target", "1000")
	begun, ended := make(chan error, streams), make(chan error, streams)
	for i := range streams {
		msgs := talk(fmt.Sprintf("zq%dzq", i), 1, 20)
		go func() {
			res, err := http.Post(s.public+chatPath, "application/json",
				strings.NewReader(`{"model":"gpt-5.1","stream":true,"messages":[`+
					strings.Join(msgs, "")+`]}`))
			begun <- err
			if err != nil {
				return
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err == nil && !bytes.HasSuffix(body, []byte("data: [DONE]\n\n")) {
				err = fmt.Errorf("a clean end after %d bytes without [DONE]", len(body))
			}
			ended <- err
		}()
	}
	for range streams {
		if err := <-begun; err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.await(t, `"msg":"stopping`)
	for range streams {
		if err := <-ended; err != nil {
			t.Errorf("a stream in flight was lost: %v", err)
		}
	}
	s.await(t, `"msg":"stopped"`)
	if err := s.Wait(); err != nil {
		t.Errorf("the process ended with %v, want code 0", err)
	}
}
