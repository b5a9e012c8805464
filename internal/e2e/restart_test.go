package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"killick/internal/demo"
	"killick/internal/fakeupstream"
)

// survivor is what outlives the proxies that are killed: a conversation of some
// 70,000 tokens, an upstream, and a folder for a store with its secret beside it.
type survivor struct {
	session *demo.Session
	turns   []int // those that are sent
	up      *fakeupstream.Server
	arrived atomic.Pointer[func()] // called for each request at the upstream, before its answer
	store   string
}

// turnHeader numbers the requests.
const turnHeader = "X-Test-Turn"

// restartSample thins the turns out under the race detector, where a turn takes
// ten times as long.
const restartSample = 12

func newSurvivor(t *testing.T) *survivor {
	t.Helper()
	v := &survivor{store: filepath.Join(t.TempDir(), "store")}
	var err error
	if v.session, err = demo.LoadSession(); err != nil {
		t.Fatal(err)
	}
	for turn := range v.session.Turns {
		if !raceEnabled || turn%restartSample == 0 || turn == len(v.session.Turns)-1 {
			v.turns = append(v.turns, turn)
		}
	}
	v.up = fakeupstream.New(fakeupstream.Config{Record: true,
		Fault: func(int, *http.Request) fakeupstream.Fault {
			if call := v.arrived.Load(); call != nil {
				(*call)()
			}
			return fakeupstream.Fault{}
		}})
	t.Cleanup(v.up.Close)
	return v
}

func (v *survivor) start(t *testing.T) *started {
	t.Helper()
	return startProxy(t, nil, "--upstream", v.up.URL(), "--data", v.store, "--trigger", "8000",
		"--target", "4000")
}

// kill ends a proxy as a crash would.
func (s *started) kill(t *testing.T) {
	t.Helper()
	_ = s.Process.Kill()
	if err := s.Wait(); err == nil {
		t.Error("a killed process ended well")
	}
}

// send sends one turn. It fails where the proxy is killed under it.
func (v *survivor) send(s *started, turn int) error {
	f, err := exchange(context.Background(), http.MethodPost, s.public+chatPath,
		bytes.NewReader(v.session.Request(turn)),
		"Authorization", "Bearer sk-survivor", turnHeader, strconv.Itoa(turn))
	if err == nil && f.status != http.StatusOK {
		err = fmt.Errorf("turn %d: status %d", turn+1, f.status)
	}
	return err
}

// replay sends turns one after another and returns what the upstream got of
// each.
func (v *survivor) replay(t *testing.T, s *started, turns []int) map[int][]byte {
	t.Helper()
	v.up.Reset()
	for _, turn := range turns {
		if err := v.send(s, turn); err != nil {
			t.Fatal(err)
		}
	}
	got := v.forwarded(t)
	if len(got) != len(turns) {
		t.Fatalf("%d turns arrived, want %d", len(got), len(turns))
	}
	return got
}

// forwarded returns what the upstream got, by turn.
func (v *survivor) forwarded(t *testing.T) map[int][]byte {
	t.Helper()
	got := map[int][]byte{}
	for _, r := range v.up.Requests() {
		turn, err := strconv.Atoi(r.Header.Get(turnHeader))
		if err != nil {
			t.Fatalf("a request without its turn: %v", err)
		}
		if json.Valid(r.Body) { // else the proxy was killed while it sent it
			got[turn] = r.Body
		}
	}
	return got
}

// crash starts a proxy, sends it all turns from several clients at once, and
// kills it when the upstream has got so many of them.
func (v *survivor) crash(t *testing.T, after int64) {
	t.Helper()
	s := v.start(t)
	v.up.Reset()
	var arrivals, failed atomic.Int64
	kill := func() {
		if arrivals.Add(1) == after {
			_ = s.Process.Kill()
		}
	}
	v.arrived.Store(&kill)
	defer v.arrived.Store(nil)
	todo := make(chan int)
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for turn := range todo {
				if v.send(s, turn) != nil {
					failed.Add(1)
				}
			}
		})
	}
	for _, turn := range v.turns {
		todo <- turn
	}
	close(todo)
	clients.Wait()
	s.kill(t)
	if failed.Load() == 0 {
		t.Errorf("killed after %d requests, yet none of %d failed", after, len(v.turns))
	}
}

// A proxy that crashes, in the middle of compacting or at rest, and comes back
// with its store or with nothing but its secret, forwards the conversation as if
// nothing had happened, at every turn.
func TestRestartRendersTheSameBytes(t *testing.T) {
	noLeaks(t)
	v := newSurvivor(t)
	same := func(when string, got, want map[int][]byte) {
		t.Helper()
		var other []int
		for turn, body := range got {
			if !bytes.Equal(body, want[turn]) {
				other = append(other, turn+1)
			}
		}
		if other != nil {
			t.Errorf("%s: of %d turns these have other bytes: %v", when, len(got), other)
		}
	}

	s := v.start(t)
	want := v.replay(t, s, v.turns)
	changed := 0
	for turn, body := range want {
		in := v.session.Request(turn)
		if !bytes.Equal(in, body) {
			changed++
		}
		for _, breach := range breaches(in, body) {
			t.Errorf("turn %d: %s", turn+1, breach)
		}
	}
	if changed < len(want)/2 {
		t.Fatalf("of %d turns only %d were compacted", len(want), changed)
	}
	secret := readFile(t, v.store+".secret")

	t.Run("killed at rest, its store kept", func(t *testing.T) {
		s.kill(t)
		s = v.start(t)
		same("from the beginning on", v.replay(t, s, v.turns), want)
		s.kill(t)
	})
	t.Run("killed at rest, its store emptied", func(t *testing.T) {
		v.empty(t)
		s = v.start(t)
		// The client goes on where it was: nobody saw the turns before.
		same("from the middle on", v.replay(t, s, v.turns[len(v.turns)/2:]), want)
		s.kill(t)
	})
	t.Run("killed in mid-work, its store kept", func(t *testing.T) {
		v.empty(t)
		crashes := []int64{int64(len(v.turns)) / 2, 2}
		if raceEnabled {
			crashes = crashes[:1]
		}
		for _, after := range crashes {
			v.crash(t, after)
			same("before it was killed", v.forwarded(t), want)
		}
		s = v.start(t)
		same("afterwards", v.replay(t, s, v.turns), want)
		s.kill(t)
	})
	if !bytes.Equal(secret, readFile(t, v.store+".secret")) {
		t.Error("the secret has changed")
	}
}

// empty removes the store. Its secret stays.
func (v *survivor) empty(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(v.store); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// SIGTERM lets a stream that has begun come to its own end.
func TestSIGTERMDrainsStream(t *testing.T) { drainsStream(t, syscall.SIGTERM) }

// So does SIGHUP, of a terminal that closes, and a second one does not cut the drain.
func TestSIGHUPDrainsStream(t *testing.T) { drainsStream(t, syscall.SIGHUP) }

// drainsStream stops the proxy in the middle of a stream, and sends SIGHUP while it drains.
func drainsStream(t *testing.T, stop syscall.Signal) {
	if signal.Ignored(stop) {
		t.Skipf("%v is ignored here, as nohup has it: so does every program that is started", stop)
	}
	noLeaks(t)
	const begun, rest = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one\"}}]}\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"two\"}," +
			"\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	release := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(release) })
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, begun)
		_ = http.NewResponseController(w).Flush()
		<-release
		_, _ = io.WriteString(w, rest)
	}))
	defer up.Close()
	defer goOn()
	s := startProxy(t, []string{"KILLICK_CACHE_IN_MEMORY=true"}, "--upstream", up.URL+"/v1")

	res, err := http.Post(s.public+chatPath, "application/json",
		strings.NewReader(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user",`+
			`"content":"count"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	reply := bufio.NewReader(res.Body)
	line, err := reply.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Process.Signal(stop); err != nil {
		t.Fatal(err)
	}
	s.await(t, `"msg":"stopping`)
	// A service manager may send it after any other.
	if err := s.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { // it lets nobody in any more
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.public, "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	goOn()
	tail, err := io.ReadAll(reply)
	if got := line + string(tail); err != nil || got != begun+rest {
		t.Errorf("the client got %q and the end %v, want %q and a clean end", got, err, begun+rest)
	}
	s.await(t, `"msg":"stopped"`)
	if err := s.Wait(); err != nil {
		t.Errorf("the process ended with %v, want code 0", err)
	}
}
