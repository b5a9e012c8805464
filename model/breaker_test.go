package model

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// wire is a transport that answers from the test itself.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

func response(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// completion is a whole answer with a text.
func completion(text string) string {
	return `{"choices":[{"index":0,"message":{"role":"assistant","content":` + string(quote(text)) + `},"finish_reason":"stop"}]}`
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, status := 0, http.StatusBadGateway
		c := New(Options{BaseURL: "http://upstream.example/v1", Name: "writer", Trips: 3, Cooldown: time.Minute, Transport: wire(func(*http.Request) (*http.Response, error) {
			calls++
			return response(status, completion(good)), nil
		})})
		summarize := func(wantCalls int, want error) {
			t.Helper()
			if _, err := c.Statements(t.Context(), Call{}, oneTurn(t)); !errors.Is(err, want) || calls != wantCalls {
				t.Errorf("%d calls, %v; want %d, %v", calls, err, wantCalls, want)
			}
		}
		for i := range 3 {
			summarize(i+1, ErrUnavailable)
		}
		summarize(3, ErrUnavailable) // left alone
		time.Sleep(2 * time.Minute)
		summarize(4, ErrUnavailable) // tried once, and left alone again
		summarize(4, ErrUnavailable)
		time.Sleep(2 * time.Minute)
		status = http.StatusOK
		summarize(5, nil)
		summarize(6, nil)
	})
}

// Calls that the breaker holds back are not counted, and a conversation without an
// allowance does not make an endpoint look healthy.
func TestBreakerAndLimits(t *testing.T) {
	calls := 0
	c := New(Options{BaseURL: "http://upstream.example/v1", Name: "writer", Trips: 3, Limits: Limits{Calls: 2}, Transport: wire(func(*http.Request) (*http.Response, error) {
		calls++
		return response(http.StatusBadGateway, ""), nil
	})})
	for i, want := range []error{ErrUnavailable, ErrUnavailable, ErrLimit, ErrLimit} {
		if _, err := c.Statements(t.Context(), Call{Key: "a"}, oneTurn(t)); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i+1, err, want)
		}
	}
	for range 5 { // the third failure in a row opens the breaker
		if _, err := c.Statements(t.Context(), Call{Key: "b"}, oneTurn(t)); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%v, want the model left alone", err)
		}
	}
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}

// What an endpoint says about one client's request or key must not take the model
// from the others.
func TestBreakerIsNotTrippedByOneClient(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests} {
		calls := 0
		c := New(Options{Trips: 1, Transport: wire(func(*http.Request) (*http.Response, error) {
			calls++
			return response(status, `{"error":{"message":"no"}}`), nil
		})})
		call := Call{Prefix: body("", message("user", "hello")), URL: "http://upstream.example/v1/chat/completions"}
		for range 3 {
			_, _ = c.Statements(t.Context(), call, Span{})
		}
		if calls != 3 {
			t.Errorf("status %d: %d calls, want 3", status, calls)
		}
	}
	calls := 0
	c := New(Options{BaseURL: "http://upstream.example/v1", Name: "writer", APIKey: "operator", Trips: 1, Transport: wire(func(*http.Request) (*http.Response, error) {
		calls++
		return response(http.StatusTooManyRequests, ""), nil
	})})
	for range 3 {
		_, _ = c.Statements(t.Context(), Call{}, oneTurn(t))
	}
	if calls != 1 {
		t.Errorf("429 to the operator's own key: %d calls, want 1", calls)
	}
}

func TestEndpointsAreForgottenInTime(t *testing.T) {
	c := New(Options{Transport: wire(func(*http.Request) (*http.Response, error) {
		return response(http.StatusOK, completion(goodAppend)), nil
	})})
	for i := range mostEndpoints + 10 {
		prefix := []byte(`{"model":"m` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + time.Duration(i).String() + `","messages":[{"role":"user","content":"hello"}]}`)
		if _, err := c.Statements(t.Context(), Call{Prefix: prefix, URL: "http://upstream.example/v1", Key: time.Duration(i).String()}, Span{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.breakers.all); n > mostEndpoints {
		t.Errorf("%d endpoints are remembered, want at most %d", n, mostEndpoints)
	}
}
