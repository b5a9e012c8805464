package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/compaction"
)

// TestBodiesAreNotMixed: the memory of bodies is used again, and still every upstream gets
// the bytes of one client alone, whatever became of the requests before: answered early,
// refused as too long, left by their client. What the Compactor was given is not used again.
func TestBodiesAreNotMixed(t *testing.T) {
	// A body is full of its number, so that a byte of another shows.
	bodyOf := func(n, size int) string {
		fill := strings.Repeat(fmt.Sprintf("<%06d>", n), size/8)
		return fmt.Sprintf(`{"messages":[{"role":"user","content":"%s"}]}`, fill)
	}
	mixed := func(n int, body []byte) bool {
		fill := fmt.Appendf(nil, "<%06d>", n)
		whole := bytes.Count(body, fill)
		return whole == 0 || bytes.Count(body, []byte("<")) != whole
	}
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.Header.Get("X-Number"))
		switch n % 8 {
		case 1: // answered while the body is still sent
			_, _ = io.WriteString(w, completion)
			return
		case 2: // cut
			panic(http.ErrAbortHandler)
		case 3:
			time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
		}
		got, err := io.ReadAll(r.Body)
		if err == nil && mixed(n, got) {
			t.Errorf("request %d: the upstream got bytes of another", n)
		}
		if n%8 == 4 && len(got) > 1000 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, refusalBody)
			return
		}
		_, _ = io.WriteString(w, completion)
	})
	var mu sync.Mutex
	kept := map[int][]byte{} // what the Compactor keeps
	r := newRig(t, up, func(o *Options) {
		o.Logger = nil
		compact := func(_ context.Context, r Request) compaction.Outcome {
			raw := r.Chat.Raw()
			n, _ := strconv.Atoi(string(raw[bytes.IndexByte(raw, '<')+1:][:6]))
			mu.Lock()
			kept[n] = raw
			mu.Unlock()
			return compaction.Outcome{Body: []byte(bodyOf(n, 80)), Folded: true, Raw: 100, Sent: 50}
		}
		o.Compactor = fake{fits: always, compact: compact}
	})
	const clients, each = 8, 40
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				n := c*each + i
				ctx, cancel := context.WithCancel(t.Context())
				if n%8 == 5 {
					time.AfterFunc(time.Duration(rand.IntN(2000))*time.Microsecond, cancel)
				}
				body := strings.NewReader(bodyOf(n, []int{3000, 40_000, 600_000}[n%3]))
				req := r.request("POST", chatPath, body, "X-Number", strconv.Itoa(n))
				res, err := r.client.Do(req.WithContext(ctx))
				if err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	for n, raw := range kept {
		if mixed(n, raw) {
			t.Errorf("request %d: what the Compactor keeps has changed", n)
		}
	}
	if len(kept) != clients*each/8 {
		t.Errorf("%d requests were made smaller, want %d", len(kept), clients*each/8)
	}
}

// A request that was sent again without its reasoning may be sent once more in a smaller form,
// which is made of the body as it came: its memory is not used for another request meanwhile. That
// form is then sent again without its reasoning, too.
func TestBodiesAreKeptUntilTheLastAttempt(t *testing.T) {
	bodyOf := func(fill string) string {
		return `{"model":"m","input":[{"type":"reasoning","id":"rs_1","encrypted_content":"e"},` +
			`{"type":"message","role":"user","content":"` + strings.Repeat(fill, 5000) + `"}]}`
	}
	var attempts int
	var r *rig
	up := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if req.Header.Get("X-Other") != "" {
			_, _ = io.WriteString(w, `{"status":"completed","output":[]}`)
			return
		}
		switch attempts++; {
		case bytes.Contains(body, []byte("encrypted_content")):
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"The encrypted content could not be `+
				`verified.","code":"invalid_encrypted_content"}}`)
		case attempts == 2:
			for range 20 { // takes the memory, if it is free
				r.do(r.request("POST", "/v1/responses", strings.NewReader(bodyOf("B")),
					"X-Other", "1"))
			}
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, refusalBody)
		default:
			_, _ = io.WriteString(w, `{"status":"completed","output":[]}`)
		}
	})
	var given string
	r = newRig(t, up, func(o *Options) {
		compact := func(_ context.Context, r Request) compaction.Outcome {
			given = string(r.Chat.Raw())
			return compaction.Outcome{Body: []byte(bodyOf("")), Folded: true, Raw: 100, Sent: 50}
		}
		o.Compactor = fake{fits: always, compact: compact}
	})
	got := r.do(r.request("POST", "/v1/responses", strings.NewReader(bodyOf("A"))))
	if got.StatusCode != http.StatusOK || attempts != 4 {
		t.Errorf("status %d after %d attempts, want 200 after 4", got.StatusCode, attempts)
	}
	if given != bodyOf("A") {
		t.Errorf("the smaller form was made of %.100q, want the request as it came", given)
	}
}

// A request that was sent again without its reasoning is reported as what it is.
func TestRequestsWithoutTheirReasoningAreReported(t *testing.T) {
	up := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if body, _ := io.ReadAll(req.Body); bytes.Contains(body, []byte("encrypted_content")) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"code":"invalid_encrypted_content"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"status":"completed","output":[]}`)
	})
	r := newRig(t, up, unchanged)
	a := r.do(r.request("POST", "/v1/responses", strings.NewReader(`{"model":"m","input":[`+
		`{"type":"reasoning","encrypted_content":"e"},`+
		`{"type":"message","role":"user","content":"go on"}]}`)))
	if got := a.Header.Get("Killick-Action"); a.StatusCode != 200 || got != "retry" {
		t.Errorf("status %d, action %q, want 200 and retry", a.StatusCode, got)
	}
}
