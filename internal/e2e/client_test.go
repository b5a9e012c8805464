package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// chatPath is where clients that know the API at /v1 send their chats.
const chatPath = "/v1/chat/completions"

// exchange sends a request with headers, given as names and values in turns, and
// reads the whole reply.
func exchange(ctx context.Context, method, url string, body io.Reader,
	header ...string) (f forwarded, err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return f, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return f, err
	}
	defer res.Body.Close()
	f.status, f.header = res.StatusCode, res.Header
	f.reply, err = io.ReadAll(res.Body)
	return f, err
}

// ask sends a chat request.
func ask(t testing.TB, url string, body []byte, header ...string) forwarded {
	t.Helper()
	f, err := exchange(t.Context(), http.MethodPost, url, bytes.NewReader(body), header...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// send sends any request.
func send(t testing.TB, method, url string, body []byte, header ...string) (status int,
	text string) {
	t.Helper()
	f, err := exchange(t.Context(), method, url, bytes.NewReader(body), header...)
	if err != nil {
		t.Fatal(err)
	}
	return f.status, string(f.reply)
}

func get(t testing.TB, url string) string {
	t.Helper()
	_, text := send(t, http.MethodGet, url, nil)
	return text
}

// valueOf returns the value of a metric without labels.
func valueOf(t testing.TB, metrics, name string) string {
	t.Helper()
	for line := range strings.Lines(metrics) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no metric %s in %.300s", name, metrics)
	return ""
}

func waitFor(t testing.TB, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
	}
}
