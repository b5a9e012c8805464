package fakeresponses

import (
	"fmt"
	"sync"
	"testing"
)

// FuzzRequests holds that every body is answered, whatever is in it, and that what is refused is
// refused in OpenAI's shape.
func FuzzRequests(f *testing.F) {
	f.Add(with(samples))
	for _, sample := range samples {
		f.Add(with(list(sample)))
	}
	f.Add(with(list(`{"type":"reasoning","encrypted_content":"gAAAAA","summary":[]}`)))
	f.Add(with(list(marked("x", "12h"), `{"type":"compaction_trigger"}`), `"stream":true`))
	f.Add(with(list(`{"id":"msg_1"}`), `"conversation":{"id":7}`, explicitMode))
	s := New(Config{Window: 100_000, Breakpoints: true})
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/responses", "/responses/compact",
			"/responses/input_tokens", "/conversations"} {
			g := send(t, s, "POST", path, body)
			if g.status != 200 && g.body.Object("error").Text("message") == "" {
				t.Errorf("%s: %d %s", path, g.status, g.text)
			}
		}
	})
}

func TestConcurrentRequests(t *testing.T) {
	s := start(t, Config{Record: true, Breakpoints: true})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			items := list(user(fmt.Sprint(i, long(1500))))
			for range 5 {
				g := ask(t, s, with(items))
				if g.status != 200 {
					t.Errorf("status %d, want 200: %s", g.status, g.text)
				}
				items = append(append(items, encode(g.body.Objects("output")...)...),
					user("more"))
			}
		})
	}
	all.Wait()
	hits := 0
	for _, r := range s.Requests() {
		if r.Usage.Cached > 0 {
			hits++
		}
	}
	if hits != 8*4 {
		t.Errorf("%d requests read from the cache, want all but the first of each", hits)
	}
}
