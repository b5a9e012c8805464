package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/chat"
	"killick/internal/e2e/proxytest"
	"killick/internal/fuzzed"
	"killick/view"
)

// hostileGateway is the proxy as serve wires it, with a low trigger, in front of
// an upstream that takes whatever it gets and remembers it.
type hostileGateway struct {
	url    string
	client *http.Client
	mu     sync.Mutex
	got    map[string][]byte // by the id that the request came with
}

const idHeader = "X-Fuzz-Id"

func newHostileGateway(t testing.TB) *hostileGateway {
	t.Helper()
	g := &hostileGateway{got: map[string][]byte{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8},
			Timeout: 20 * time.Second}}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		g.mu.Lock()
		g.got[r.Header.Get(idHeader)] = body
		g.mu.Unlock()
		_, _ = io.WriteString(w,
			`{"id":"x","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}`)
	}))
	t.Cleanup(upstream.Close)
	c := balanced()
	c.Upstream.BaseURL = upstream.URL + "/v1"
	c.Cache.InMemory = true
	c.Compaction.Trigger, c.Compaction.Target, c.Compaction.MinMaskTokens = 1500, 700, 20
	c.Compaction.Ingest = 1000
	_, g.url = serving(t, c, slog.New(slog.DiscardHandler))
	t.Cleanup(g.client.CloseIdleConnections)
	return g
}

// send sends a body and returns what was forwarded of it, nil if nothing, and
// what is wrong with that.
func (g *hostileGateway) send(id string, body []byte) (out []byte, action string, wrong []string) {
	req, err := http.NewRequest(http.MethodPost, g.url+chatPath, bytes.NewReader(body))
	if err != nil {
		return nil, "", []string{err.Error()}
	}
	req.Header.Set(idHeader, id)
	req.Header.Set("Authorization", "Bearer fuzz")
	res, err := g.client.Do(req)
	if err != nil {
		return nil, "", []string{"no reply: " + err.Error()}
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	g.mu.Lock()
	out, reached := g.got[id]
	delete(g.got, id)
	g.mu.Unlock()
	action = res.Header.Get("Killick-Action")
	switch {
	case err != nil:
		return nil, action, []string{"the reply broke off: " + err.Error()}
	case !reached:
		var refusal struct {
			Error struct {
				Message, Type string
			}
		}
		if res.StatusCode < 400 || json.Unmarshal(reply, &refusal) != nil ||
			refusal.Error.Message == "" {
			wrong = append(wrong, "neither forwarded nor refused: "+strconv.Itoa(res.StatusCode))
		}
		return nil, action, wrong
	}
	return out, action, hostileBreaches(body, out)
}

// hostileBreaches are breaches by what is fair of a hostile conversation: it may
// gain a byte where it loses tokens, and nobody knows which of its messages a
// person wrote need not agree with the compactor.
func hostileBreaches(in, out []byte) (found []string) {
	for _, b := range breaches(in, out) {
		if b == "the request grew" {
			if was, is := mustCount(in), mustCount(out); is <= was {
				continue
			}
		}
		if (b == "the task is lost" || b == "the latest request is lost") && ambiguous(in) {
			continue
		}
		found = append(found, b)
	}
	return found
}

func mustCount(body []byte) int {
	req, err := chat.Parse(body)
	if err != nil {
		return 0
	}
	return requestCounter.For(req.Model()).Request(req).Total
}

// ambiguous reports whether a user's message may be a client's, or neither.
func ambiguous(body []byte) bool {
	req, err := chat.Parse(body)
	if err != nil {
		return true
	}
	for _, m := range req.Messages() {
		text := strings.TrimSpace(m.Text())
		if m.Role() == view.User && (text == "" || strings.ContainsRune("/<[", rune(text[0])) ||
			strings.HasPrefix(text, "This session") || !m.OnlyText()) {
			return true
		}
	}
	return false
}

// FuzzRequest: whatever a client sends is forwarded without harm, and the same
// way when it is sent again, or refused with a clear error.
func FuzzRequest(f *testing.F) {
	for i := range uint64(12) {
		f.Add(hostileBytes(i))
	}
	g := newHostileGateway(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		body := fuzzed.Request(data)
		out, _, wrong := g.send("first", body)
		for _, w := range wrong {
			t.Error(w)
		}
		if again, _, _ := g.send("again", body); !bytes.Equal(again, out) {
			t.Error("sent again, it was forwarded as something else")
		}
	})
}

func hostileBytes(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 11))
	b := make([]byte, 30+rng.IntN(500))
	for i := range b {
		b[i] = byte(rng.UintN(256))
	}
	return b
}

// TestHostileRequests sends as many random requests as KILLICK_HOSTILE says, 300
// if it says nothing, from the seed KILLICK_HOSTILE_FROM on; make hostile sends
// 100,000.
func TestHostileRequests(t *testing.T) {
	n, from := proxytest.Amount(t, "KILLICK_HOSTILE", 300, 60)
	g := newHostileGateway(t)
	var mu sync.Mutex
	actions := map[string]int{}
	var workers sync.WaitGroup
	next := make(chan uint64)
	for range 4 {
		workers.Go(func() {
			for seed := range next {
				data := hostileBytes(seed)
				body := fuzzed.Request(data)
				out, action, wrong := g.send(strconv.FormatUint(seed, 10), body)
				for _, w := range wrong {
					t.Errorf("seed %d: %s", seed, w)
				}
				if seed%8 == 0 {
					if again, _, _ := g.send(strconv.FormatUint(seed, 10)+" again",
						body); !bytes.Equal(again, out) {
						t.Errorf("seed %d: sent again, it was forwarded as something else", seed)
					}
				}
				mu.Lock()
				actions[action]++
				mu.Unlock()
			}
		})
	}
	for i := range n {
		if i > 0 && i%10_000 == 0 {
			t.Logf("%d requests", i)
		}
		next <- uint64(from + i)
	}
	close(next)
	workers.Wait()
	t.Logf("%d requests: %v", n, actions)
	if actions["summary"]+actions["mask, summary"] == 0 || actions["none"] == 0 {
		t.Errorf("the requests did not reach far: %v", actions)
	}
}
