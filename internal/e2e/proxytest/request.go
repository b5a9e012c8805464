package proxytest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Answer is the answer to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Ask sends a request with headers, given as alternating names and values.
func Ask(t testing.TB, method, url string, body []byte, header ...string) Answer {
	t.Helper()
	a, err := Try(t.Context(), method, url, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Try is Ask for requests that may fail.
func Try(
	ctx context.Context, method, url string, body []byte, header ...string,
) (a Answer, err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	a.Status, a.Header = res.StatusCode, res.Header
	a.Body, err = io.ReadAll(res.Body)
	return a, err
}

// Action is what the proxy reports that it did.
func (a *Answer) Action() string { return a.Header.Get("Killick-Action") }

// Tokens reads the header Killick-Tokens, such as "raw=12, sent=10". Both are 0 if nothing was
// counted.
func (a *Answer) Tokens(t testing.TB) (raw, sent int) {
	t.Helper()
	return Tokens(t, a.Header.Get("Killick-Tokens"))
}

// Tokens reads a header Killick-Tokens.
func Tokens(t testing.TB, header string) (raw, sent int) {
	t.Helper()
	for field := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		n, err := strconv.Atoi(value)
		if err != nil && header != "" {
			t.Fatalf("Killick-Tokens: %q: %v", header, err)
		}
		switch name {
		case "raw":
			raw = n
		case "sent":
			sent = n
		}
	}
	return raw, sent
}
