package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/chat"
	"killick/internal/fakeupstream"
)

// TestMain lets the test binary take the roles that run as processes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && commands[os.Args[1]] != nil {
		main()
		return
	}
	os.Exit(m.Run())
}

// bareOverUpstream starts the upstream and a bare proxy before it.
func bareOverUpstream(t *testing.T) (up, bare *contestant) {
	t.Helper()
	up, err := self("", "direct", "upstream")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.stop)
	if bare, err = self("", "bare", "bare", up.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bare.stop)
	return up, bare
}

func TestComparison(t *testing.T) {
	if !exists("/proc/self/schedstat") {
		t.Skip("processor times are read from Linux's /proc")
	}
	up, bare := bareOverUpstream(t)
	c := &comparison{direct: up, field: []*contestant{bare}, rounds: 1, share: 0.05,
		model: "gpt-4.1", failures: failures{n: map[*contestant]int{}}}
	for _, growing := range []bool{false, true} {
		n := 8
		f, err := c.measure(t.Context(), bare, c.slice(n, 50<<10, growing),
			c.slice(n, 50<<10, growing))
		if err != nil {
			t.Fatal(err)
		}
		if f.rate <= 0 || f.cpu <= 0 || f.p50 <= 0 || f.p99 < f.p50 {
			t.Errorf("growing %t: %+v, want figures", growing, f)
		}
	}
	if _, with, err := c.idleOf(t.Context(), bare, 20); err != nil || with < 1<<20 {
		t.Errorf("memory: %d bytes, %v", with, err)
	}
	if err := c.firstEvent(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.leaving(t.Context()); err != nil {
		t.Error(err)
	}
}

// A proxy that fails is detected.
func TestLoadCountsErrors(t *testing.T) {
	_, bare := bareOverUpstream(t)
	l := load{streams: 5, events: 3, pause: 10 * time.Millisecond, rate: 50,
		lasts: 500 * time.Millisecond}
	ctx := t.Context()
	done := l.run(ctx, bare.url, &watcher{of: bare})
	if done.chats.Load() == 0 || done.streams.Load() == 0 {
		t.Errorf("%d chats and %d streams, want some", done.chats.Load(), done.streams.Load())
	}
	bare.stop()
	if err := l.run(ctx, bare.url, &watcher{of: bare}).report(l); err == nil ||
		!strings.Contains(err.Error(), "errors") {
		t.Errorf("without a proxy: %v, want its errors", err)
	}
}

func TestWatcherSeesALeak(t *testing.T) {
	var flat, leak []int64
	for i := range int64(40) {
		flat = append(flat, 100+i%3)
		leak = append(leak, 100+i*10)
	}
	if grown(flat) || !grown(leak) {
		t.Errorf("flat memory grew: %t, leaking memory grew: %t", grown(flat), grown(leak))
	}
}

// Every body is a request that OpenAI would accept, and none is sent twice.
func TestBodies(t *testing.T) {
	seen := map[string]bool{}
	for number, size := range []int{1 << 10, 50 << 10, 500 << 10} {
		body := fresh("gpt-4.1", number, size)
		if err := fakeupstream.Check([]byte(body)); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		if len(body) < size*8/10 || len(body) > size*12/10 {
			t.Errorf("%d bytes, want about %d", len(body), size)
		}
		req, err := chat.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := range req.Messages() {
			m := string(req.Messages()[i].Raw)
			if seen[m] {
				t.Errorf("sent before: %.100s", m)
			}
			seen[m] = true
		}
	}
	talk := newConversation("gpt-4.1", 9, 30, 2<<10)
	for turns := range 30 {
		if body := talk.body(turns); !json.Valid([]byte(body)) ||
			!strings.HasPrefix(talk.body(turns+1), strings.TrimSuffix(body, "]}")) {
			t.Errorf("turn %d does not go on from the one before", turns+1)
		}
	}
}

// Source code is cut to any length without cutting an escape or a rune.
func TestPiecesAreStrings(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for n := 1; n < 3000; n++ {
		text := piece(random, n)
		if len(text) != n || !json.Valid([]byte(`"`+text+`"`)) {
			t.Fatalf("%d bytes, want %d of a JSON string: %q", len(text), n, text)
		}
	}
}

func TestFormatsAreAnswered(t *testing.T) {
	up, bare := bareOverUpstream(t)
	c := &comparison{direct: up, rounds: 1, model: "gpt-4.1",
		failures: failures{n: map[*contestant]int{}}}
	for _, a := range apis {
		one := *bare
		one.api = a
		spelled, err := a.slices(c.slice(4, 5<<10, true))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.measure(t.Context(), &one, spelled[0], slice{}); err != nil {
			t.Fatal(err)
		}
		if n := c.failures.n[&one]; n > 0 {
			t.Errorf("%s: %d requests failed", a.name, n)
		}
	}
}

func TestCommandsOnACore(t *testing.T) {
	if got := core("").command("echo", "x").Args; !slices.Equal(got, []string{"echo", "x"}) {
		t.Errorf("on any: %q", got)
	}
	want := []string{"taskset", "-c", "3", "echo", "x"}
	if got := core("3").command("echo", "x").Args; !slices.Equal(got, want) {
		t.Errorf("on one: %q, want %q", got, want)
	}
}

func TestSoakSeesARefusal(t *testing.T) {
	up := fakeupstream.New(fakeupstream.Config{Window: 2000})
	defer up.Close()
	s := &soak{url: strings.TrimSuffix(up.URL(), "/v1")}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := newClient(s.url)
	defer c.close()
	var talks sync.WaitGroup
	talks.Go(func() { s.talk(ctx, c, 1) })
	for s.first.Load() == nil && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	cancel()
	talks.Wait()
	if err := s.report(0); err == nil || !strings.Contains(err.Error(), "context_length_exceeded") {
		t.Errorf("got %v, want the upstream's refusal", err)
	}
}

func TestPercentile(t *testing.T) {
	times := []time.Duration{5, 1, 4, 2, 3}
	if percentile(times, 50) != 3 || percentile(times, 100) != 5 || percentile(nil, 50) != 0 {
		t.Errorf("got %v, %v and %v", percentile(times, 50), percentile(times, 100),
			percentile(nil, 50))
	}
}
