package fakeupstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"killick/chat"
)

const streamedHello = `{"model":"gpt-5.1","stream":true,"messages":[{"role":"user",` +
	`"content":"hello"}]}`

// always is a script in which every request has the same fault.
func always(f Fault) func(int, *http.Request) Fault {
	return func(int, *http.Request) Fault { return f }
}

func TestFaultStatus(t *testing.T) {
	for _, test := range []struct {
		fault     Fault
		typ, code string
	}{
		{Fault{Status: 429, Header: http.Header{"Retry-After": {"3"}}}, "requests",
			"rate_limit_exceeded"},
		{Fault{Status: 500}, "server_error", ""},
		{Fault{Status: 503}, "server_error", ""},
		{Fault{Status: 401}, "invalid_request_error", "invalid_api_key"},
		{Fault{Status: 418}, "invalid_request_error", ""},
		{Fault{Status: 400, Body: chat.ErrorBody("odd", "strange", "weird")}, "strange", "weird"},
	} {
		s := start(t, Config{Fault: always(test.fault)})
		a := ask(t, s, hello)
		if a.status != test.fault.Status || value(a.body, "error", "type").Text() != test.typ ||
			value(a.body, "error", "code").Text() != test.code {
			t.Errorf("%+v: %d %s, want type %q and code %q", test.fault, a.status, a.body,
				test.typ, test.code)
		}
		if want := test.fault.Header["Retry-After"]; len(want) > 0 &&
			a.header.Get("Retry-After") != want[0] {
			t.Errorf("%+v: Retry-After %q, want %v", test.fault, a.header.Get("Retry-After"), want)
		}
	}
}

func TestFaultSeesTheRequest(t *testing.T) {
	s := start(t, Config{Fault: func(n int, r *http.Request) Fault {
		body, err := io.ReadAll(r.Body)
		if err == nil && n == 2 && strings.Contains(string(body), "hello") &&
			r.URL.Path == "/v1/chat/completions" {
			return Fault{Status: 500}
		}
		return Fault{}
	}})
	for i, want := range []int{200, 500, 200} {
		if a := ask(t, s, hello); a.status != want {
			t.Errorf("request %d: status %d, want %d", i+1, a.status, want)
		}
	}
}

func TestFaultRawAnswer(t *testing.T) {
	const stream = ": a comment\r\n\r\ndata: {\"error\":\r\ndata: {}}\r\n\r\n"
	s := start(t,
		Config{Fault: always(Fault{Status: 200,
			Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: []byte(stream),
			PieceBytes: 3})})
	a := ask(t, s, streamedHello)
	if a.status != 200 || a.body != stream || a.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%d %v %q, want %q as it is", a.status, a.header, a.body, stream)
	}
}

func TestFaultBreaksTheConnection(t *testing.T) {
	s := start(t, Config{})
	want := ask(t, s, streamedHello).body
	for _, test := range []struct {
		name   string
		fault  Fault
		body   string
		early  bool // before any header
		reset  bool
		events int
		bytes  int
	}{
		{name: "drop", fault: Fault{Drop: true}, body: hello, early: true},
		{name: "reset", fault: Fault{Reset: true}, body: hello, early: true, reset: true},
		{name: "after the header", fault: Fault{CutEvents: -1}, body: streamedHello},
		{name: "after the header of a body", fault: Fault{CutEvents: -1}, body: hello},
		{name: "after three events", fault: Fault{CutEvents: 3}, body: streamedHello, events: 3,
			bytes: -1},
		{name: "after all events", fault: Fault{CutEvents: len(eventsOf(want))},
			body: streamedHello, events: len(eventsOf(want)), bytes: -1},
		{name: "after 300 bytes", fault: Fault{CutBytes: 300}, body: streamedHello, events: -1,
			bytes: 300},
		{name: "after 50 bytes of a body", fault: Fault{CutBytes: 50}, body: hello, bytes: 50},
		{name: "in pieces, cut", fault: Fault{CutBytes: 50, PieceBytes: 7}, body: hello, bytes: 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, Config{Fault: always(test.fault), Record: true})
			a, err := send(http.MethodPost, s.URL()+"/chat/completions", test.body)
			if test.early {
				if err == nil || test.reset && !errors.Is(err, syscall.ECONNRESET) {
					t.Fatalf("err %v, want one; of a reset: %v", err, test.reset)
				}
				return
			}
			if err != nil || a.status != 200 || a.err == nil {
				t.Fatalf("err %v, status %d, reading %v; want 200 and a body that is cut off", err,
					a.status, a.err)
			}
			if test.bytes >= 0 && len(a.body) != test.bytes {
				t.Errorf("%d bytes came, want %d", len(a.body), test.bytes)
			}
			if got := len(eventsOf(a.body)); test.events >= 0 && got != test.events {
				t.Errorf("%d events came, want %d", got, test.events)
			}
			if !waitFor(func() bool { return s.Requests()[0].Broken }) {
				t.Errorf("recorded as %+v, want broken", s.Requests()[0])
			}
		})
	}
}

func TestFaultResetsInMidStream(t *testing.T) {
	s := start(t,
		Config{Fault: always(Fault{CutEvents: 2, Reset: true, Pause: 20 * time.Millisecond})})
	a, err := send(http.MethodPost, s.URL()+"/chat/completions", streamedHello)
	if err != nil || !errors.Is(a.err, syscall.ECONNRESET) {
		t.Errorf("err %v, reading: %v, want a reset in the body", err, a.err)
	}
}

// waitFor waits for what another goroutine is about to do.
func waitFor(done func() bool) bool {
	for range 6000 {
		if done() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

func TestFaultHangs(t *testing.T) {
	s := start(t, Config{Fault: always(Fault{Hang: 50 * time.Millisecond})})
	began := time.Now()
	if a := ask(t, s, hello); a.status != 200 || time.Since(began) < 50*time.Millisecond {
		t.Errorf("status %d after %v, want 200 after 50ms", a.status, time.Since(began))
	}
}

func TestClientLeaves(t *testing.T) {
	for name, fault := range map[string]Fault{
		"before the first byte": {Hang: time.Hour},
		"between events":        {Pause: time.Hour},
		"between pieces":        {Pause: time.Hour, PieceBytes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Config{Fault: always(fault), Record: true})
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost,
				s.URL()+"/chat/completions", strings.NewReader(streamedHello))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("err %v, want the deadline's", err)
			}
			if !waitFor(func() bool {
				r := s.Requests()
				return len(r) == 1 && r[0].Broken && !r[0].Done
			}) {
				t.Errorf("recorded as %+v, want broken", s.Requests())
			}
		})
	}
}

func TestCloseEndsWhatHangs(t *testing.T) {
	s := New(Config{Fault: always(Fault{Hang: time.Hour}), Record: true})
	failed := make(chan error, 1)
	go func() {
		_, err := send(http.MethodPost, s.URL()+"/chat/completions", hello)
		failed <- err
	}()
	if !waitFor(func() bool { return len(s.Requests()) == 1 }) {
		t.Fatal("the request did not arrive")
	}
	s.Close()
	if err := <-failed; err == nil {
		t.Error("a hanging request was answered")
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestPauseAndPieces(t *testing.T) {
	s := start(t, Config{})
	want := withoutTime(ask(t, s, streamedHello).body)
	for _, fault := range []Fault{{PieceBytes: 1}, {PieceBytes: 13}, {Pause: time.Millisecond},
		{PieceBytes: 400, Pause: time.Millisecond}} {
		s := start(t, Config{Fault: always(fault)})
		began := time.Now()
		if got := withoutTime(ask(t, s, streamedHello).body); got != want {
			t.Errorf("%+v: %q, want %q", fault, got, want)
		}
		if least := 3 * fault.Pause; time.Since(began) < least {
			t.Errorf("%+v: took %v, want %v at least", fault, time.Since(began), least)
		}
	}
}
