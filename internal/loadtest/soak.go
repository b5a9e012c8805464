package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"killick/internal/fakeupstream"
)

func runSoak(ctx context.Context, args []string) error {
	set, binary := flags("soak")
	lasts := set.Duration("for", 2*time.Minute, "how long")
	clients := set.Int("clients", 8, "conversations at once")
	dir, remove, err := parse(set, args)
	if err != nil {
		return err
	}
	defer remove()
	// Like a real one it refuses results without calls and calls without results.
	up, err := fakeupstream.Start(fakeupstream.Config{Window: 40_000})
	if err != nil {
		return err
	}
	defer up.Close()
	ours, err := killick("", *binary, strings.TrimSuffix(up.URL(), "/v1"), dir,
		"--trigger", "16000",
		"--target", "8000")
	if err != nil {
		return err
	}
	defer ours.stop()
	fmt.Println(machine())
	w, err := newWatcher(ours)
	if err != nil {
		return err
	}
	s := &soak{url: ours.url}
	s.run(ctx, *clients, *lasts, w)
	return errors.Join(w.report(ctx), s.report(*lasts))
}

// soak runs conversations that grow far past the trigger, one after another.
type soak struct {
	url                          string
	talks, turns, changed, fails atomic.Int64
	first                        atomic.Pointer[error]
}

func (s *soak) run(ctx context.Context, clients int, lasts time.Duration, w *watcher) {
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	c := newClient(s.url)
	defer c.close()
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				s.talk(ctx, c, i*100_000+n)
			}
		})
	}
	w.watch(ctx)
	wg.Wait()
}

// soakTurns are the turns of one conversation, of soakTurnBytes each: about 140,000 tokens in the
// end.
const (
	soakTurns     = 120
	soakTurnBytes = 4 << 10
)

// talk sends one conversation turn by turn, every third turn as a stream.
func (s *soak) talk(ctx context.Context, c *client, number int) {
	talk := newConversation("gpt-5.1", number, soakTurns, soakTurnBytes)
	for turn := 1; turn <= soakTurns && ctx.Err() == nil; turn++ {
		body := talk.body(turn)
		if turn%3 == 0 {
			body = strings.TrimSuffix(body, "}") + `,"stream":true}`
		}
		req, err := c.request(context.WithoutCancel(ctx), fmt.Sprintf("sk-%d", number%20), body)
		if err == nil {
			err = s.turn(c, req, turn%3 == 0)
		}
		if err != nil {
			err = fmt.Errorf("conversation %d, turn %d: %w", number, turn, err)
			s.fails.Add(1)
			s.first.CompareAndSwap(nil, &err)
		}
		s.turns.Add(1)
	}
	s.talks.Add(1)
}

func (s *soak) turn(c *client, req *http.Request, stream bool) error {
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK ||
		stream != bytes.HasSuffix(reply, []byte("data: [DONE]\n\n")) {
		return fmt.Errorf("status %d and %.300q, want 200 and the whole reply",
			res.StatusCode, reply)
	}
	if action := res.Header.Get("Killick-Action"); action != "none" {
		s.changed.Add(1)
	}
	return nil
}

// report prints the result of the soak. It also checks that compaction keeps within the window: the
// raw conversations are more than twice as large.
func (s *soak) report(lasts time.Duration) error {
	t := table{title: fmt.Sprintf("Conversations with compaction on for %v", lasts),
		head: []string{"conversations", "turns", "compacted", "errors"}}
	t.row(fmt.Sprint(s.talks.Load()), fmt.Sprint(s.turns.Load()), fmt.Sprint(s.changed.Load()),
		fmt.Sprint(s.fails.Load()))
	t.print()
	if n := s.fails.Load(); n > 0 {
		return fmt.Errorf("%d errors, the first: %w", n, *s.first.Load())
	}
	if s.changed.Load() == 0 {
		return fmt.Errorf("of %d turns none was compacted: it did not last long enough",
			s.turns.Load())
	}
	return nil
}
