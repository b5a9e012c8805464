package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"killick/internal/fakeupstream"
)

func TestRedirectsAreNotFollowed(t *testing.T) {
	calls := 0
	c := New(Options{Transport: wire(func(*http.Request) (*http.Response, error) {
		calls++
		r := response(308, "")
		r.Header.Set("Location", "http://elsewhere.example/")
		return r, nil
	})})
	_, err := c.Ask(t.Context(), hello(t, nowhere))
	if !errors.Is(err, ErrUnavailable) || calls != 1 {
		t.Errorf("%d calls, %v; want one, and the model unavailable", calls, err)
	}
}

func TestAnEndpointThatIsNotThere(t *testing.T) {
	s, tr := start(t, fakeupstream.Config{})
	s.Close()
	_, err := New(Options{Transport: tr}).Ask(t.Context(), hello(t, s.URL()))
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("%v, want the model unavailable", err)
	}
	s, tr = start(t, fakeupstream.Config{Fault: func(int, *http.Request) fakeupstream.Fault {
		return fakeupstream.Fault{CutBytes: 5, Reset: true}
	}})
	_, err = New(Options{Transport: tr}).Ask(t.Context(), hello(t, s.URL()))
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("a reply that is cut off: %v, want the model unavailable", err)
	}
}

func TestAConnectionThatTimesOut(t *testing.T) {
	c := New(Options{Transport: wire(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	})})
	_, err := c.Ask(t.Context(), hello(t, nowhere))
	if !errors.Is(err, ErrUnavailable) || !strings.HasSuffix(err.Error(), "timed out") {
		t.Errorf("%v, want the model unavailable", err)
	}
	silent := wire(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	slow := New(Options{Timeout: time.Millisecond, Transport: silent})
	if _, err := slow.Ask(t.Context(), hello(t, nowhere)); Reason(err) != "timeout" {
		t.Errorf("%v, want a time-out", err)
	}
}

func TestReasons(t *testing.T) {
	for err, want := range map[error]string{
		nil:                                 "",
		context.Canceled:                    "canceled",
		fmt.Errorf("x: %w", ErrRefused):     "refused",
		fmt.Errorf("x: %w", ErrUnavailable): "unavailable",
		fmt.Errorf("x: %w", ErrRejected):    "rejected",
		fmt.Errorf("x: %w", ErrTooLong):     "too long",
		fmt.Errorf("x: %w", ErrLimit):       "limit",
		errors.New("x"):                     "other",
		fmt.Errorf("%w: %w", ErrUnavailable, context.DeadlineExceeded): "timeout",
	} {
		if got := Reason(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
