package proxy_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"killick/compaction"
	"killick/proxy"
	"killick/view"
)

// upstream answers with what it was asked.
func upstream() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s: %s", r.Method, r.URL.Path, body)
	}))
}

// serve starts a proxy in front of an upstream.
func serve(up *httptest.Server, opt proxy.Options) (address string, stop func()) {
	opt.Upstream.BaseURL = must(url.Parse(up.URL + "/v1"))
	p := must(proxy.New(opt))
	server := httptest.NewServer(p.Handler())
	return server.URL, func() {
		server.Close()
		p.Close()
		up.Close()
		http.DefaultClient.CloseIdleConnections()
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func post(address, body string) (reply string, header http.Header) {
	res := must(http.Post(address, "application/json", strings.NewReader(body)))
	defer res.Body.Close()
	return string(must(io.ReadAll(res.Body))), res.Header
}

// Without a Compactor every byte passes as received.
func Example() {
	address, stop := serve(upstream(), proxy.Options{})
	defer stop()

	reply, _ := post(address+"/v1/embeddings", `{"input": "a",  "n": 1.0}`)
	fmt.Println(reply)
	// Output:
	// POST /v1/embeddings: {"input": "a",  "n": 1.0}
}

// lastOnly is a Compactor that forwards the last message alone. It is an example: a real one
// keeps instructions, calls together with their results, and what the user asked for.
type lastOnly struct{}

// Fits reports that a short body need not be parsed.
func (lastOnly) Fits(body []byte, _, _, _ string) bool { return len(body) < 100 }

// Compact splices the new body from slices of the old one.
func (lastOnly) Compact(_ context.Context, req proxy.Request) compaction.Outcome {
	n := len(req.Chat.Messages())
	return compaction.Outcome{
		Body:   req.Chat.Splice([]view.Piece{{From: n - 1, To: n}}),
		Folded: n > 1,
		Reason: compaction.ReasonCompacted,
	}
}

// A Compactor decides what to forward of a chat request; the reply's headers say what it did.
func ExampleCompactor() {
	address, stop := serve(upstream(), proxy.Options{Compactor: lastOnly{}})
	defer stop()

	reply, header := post(address+"/v1/chat/completions", `{"model":"m","messages":[`+
		`{"role":"user","content":"What is a killick?"},`+
		`{"role":"assistant","content":"A small anchor."},`+
		`{"role":"user","content":"Of what?"}]}`)
	fmt.Println(reply)
	fmt.Println(header.Get("Killick-Action"), "-", header.Get("Killick-Reason"))
	// Output:
	// POST /v1/chat/completions: {"model":"m","messages":[{"role":"user","content":"Of what?"}]}
	// summary - over the trigger
}
