package endpoint

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

const nowhere = "http://upstream.example/v1"

// counting is a transport that counts its requests and answers with a status.
func counting(calls, status *int) wire {
	return func(*http.Request) (*http.Response, error) {
		*calls++
		return response(*status, completion), nil
	}
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, status := 0, http.StatusBadGateway
		c := New(Options{TripAfter: 3, Cooldown: time.Minute, Transport: counting(&calls, &status)})
		ask := func(wantCalls int, want error) {
			t.Helper()
			_, err := c.Ask(t.Context(), hello(t, nowhere))
			if !errors.Is(err, want) || calls != wantCalls {
				t.Errorf("%d calls, %v; want %d, %v", calls, err, wantCalls, want)
			}
		}
		for i := range 3 {
			ask(i+1, ErrUnavailable)
		}
		ask(3, ErrUnavailable) // not called
		time.Sleep(2 * time.Minute)
		ask(4, ErrUnavailable) // called once, and then no more
		ask(4, ErrUnavailable)
		time.Sleep(2 * time.Minute)
		status = http.StatusOK
		ask(5, nil)
		ask(6, nil)
	})
}

// Calls that the breaker stops are not counted, and a conversation that has reached its limit does
// not make an endpoint look healthy.
func TestBreakerAndLimits(t *testing.T) {
	calls, status := 0, http.StatusBadGateway
	c := New(Options{TripAfter: 3, Limits: Limits{Calls: 2}, Transport: counting(&calls, &status)})
	r := hello(t, nowhere)
	r.Key = "a"
	for i, want := range []error{ErrUnavailable, ErrUnavailable, ErrLimit, ErrLimit} {
		if _, err := c.Ask(t.Context(), r); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i+1, err, want)
		}
	}
	r.Key = "b"
	for range 5 { // the third failure in a row opens the breaker
		if _, err := c.Ask(t.Context(), r); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%v, want the model left alone", err)
		}
	}
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}

// An error about one client's request or key must not stop the calls of other clients.
func TestBreakerIsNotTrippedByOneClient(t *testing.T) {
	for _, test := range []struct {
		status int
		own    bool // the operator's key, which all clients share
		want   int
	}{
		{http.StatusBadRequest, false, 3},
		{http.StatusUnauthorized, false, 3},
		{http.StatusForbidden, false, 3},
		{http.StatusTooManyRequests, false, 3},
		{http.StatusTooManyRequests, true, 1},
	} {
		calls := 0
		c := New(Options{TripAfter: 1, Transport: wire(func(*http.Request) (*http.Response, error) {
			calls++
			return response(test.status, `{"error":{"message":"no"}}`), nil
		})})
		r := hello(t, nowhere)
		r.Schema, r.Target.Own = Schema{}, test.own // no older form of the request to try
		for range 3 {
			if _, err := c.Ask(t.Context(), r); err == nil {
				t.Errorf("status %d: no error", test.status)
			}
		}
		if calls != test.want {
			t.Errorf("status %d, own key %v: %d calls, want %d",
				test.status, test.own, calls, test.want)
		}
	}
}

func TestEndpointsAreDroppedInTime(t *testing.T) {
	calls, status := 0, http.StatusOK
	c := New(Options{Transport: counting(&calls, &status)})
	r := hello(t, nowhere)
	for i := range maxEndpoints + 10 {
		r.Target.Model = strconv.Itoa(i)
		r.Key = r.Target.Model
		if _, err := c.Ask(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.breakers.all); n > maxEndpoints {
		t.Errorf("%d endpoints are remembered, want at most %d", n, maxEndpoints)
	}
}
