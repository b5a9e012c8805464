package endpoint_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"killick/model/endpoint"
	"killick/rawjson"
)

// An old server supports neither JSON schemas nor max_completion_tokens. The first request finds
// out; the second only uses what the server supports.
func ExampleClient_Ask() {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		body, _ := io.ReadAll(r.Body) // an unreadable body has neither member
		for _, member := range []string{"response_format", "max_completion_tokens"} {
			if len(rawjson.Value(body).Get(member)) > 0 {
				http.Error(w, `{"error":{"message":"unknown: `+member+`"}}`, http.StatusBadRequest)
				return
			}
		}
		_, _ = io.WriteString(w, `{"choices":[{"finish_reason":"stop","message":`+
			`{"role":"assistant","content":"Hello."}}]}`)
	}))
	defer server.Close()

	target, err := endpoint.NewTarget(server.URL+"/v1/chat/completions", "writer", nil, false)
	if err != nil {
		panic(err)
	}
	c := endpoint.New(endpoint.Options{})
	for range 2 {
		requests = 0
		reply, err := c.Ask(context.Background(), endpoint.Request{
			Target: target, MaxOutput: 100, Messages: []endpoint.Message{endpoint.User("Hello?")},
			Schema: endpoint.Schema{Name: "greeting", JSON: []byte(`{"type":"object"}`)},
		})
		fmt.Printf("%s requests: %d, error: %v\n", reply.Text, requests, err)
	}
	// Output:
	// Hello. requests: 4, error: <nil>
	// Hello. requests: 1, error: <nil>
}
