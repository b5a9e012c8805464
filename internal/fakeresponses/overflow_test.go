package fakeresponses

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestWindow(t *testing.T) {
	s := start(t, Config{Window: 1000})
	accepted(t, s, with(list(user(long(900)))))
	over := refusal{400, "input", "context_length_exceeded", "Your input exceeds the context " +
		"window of this model. Please adjust your input and try again."}
	body := with(list(user(long(1100))))
	over.check(t, ask(t, s, body))
	over.check(t, ask(t, s, with(list(user(long(1100))), `"stream":true`)))
	over.check(t, send(t, s, "POST", "/responses/compact", body))
	if g := send(t, s, "POST", "/responses/input_tokens", body); g.status != 200 {
		t.Errorf("counting what is too long: status %d, want 200", g.status)
	}
}

func TestTruncation(t *testing.T) {
	s := start(t, Config{Window: 1000})
	items := list(user(long(600)), assistant(long(600)), user(long(600)))
	body := accepted(t, s, with(items, `"truncation":"auto"`, `"instructions":"`+long(100)+`"`))
	if n := body.Object("usage").int("input_tokens"); n != 604+104 {
		t.Errorf("%d tokens, want the last message and the instructions", n)
	}
	if body.Text("truncation") != "auto" {
		t.Errorf("truncation %q, want auto", body.Text("truncation"))
	}
	g := ask(t, s, with(items, `"truncation":"disabled"`))
	if g.status != 400 || g.body.Object("error").Text("code") != "context_length_exceeded" {
		t.Errorf("disabled: %d %s", g.status, g.text)
	}
	g = ask(t, s, with(items, `"truncation":"auto"`, `"instructions":"`+long(1100)+`"`))
	if g.status != 400 {
		t.Errorf("instructions alone too long: status %d, want 400", g.status)
	}
}

func TestFaults(t *testing.T) {
	s := start(t, Config{Record: true, Fault: func(n int, _ *http.Request) Fault {
		switch n {
		case 1:
			return Fault{Status: 429, Header: http.Header{"Retry-After-Ms": {"7"},
				"X-Should-Retry": {"true"}}}
		case 2:
			return Fault{Status: 500, Header: http.Header{"X-Should-Retry": {"false"}}}
		case 3:
			return Fault{CutEvents: 3}
		}
		return Fault{}
	}})
	body := with(list(user("x")), `"stream":true`)
	g := ask(t, s, body)
	if g.status != 429 || g.header.Get("Retry-After-Ms") != "7" ||
		g.header.Get("X-Should-Retry") != "true" ||
		g.body.Object("error").Text("code") != "rate_limit_exceeded" {
		t.Errorf("first: %d %v %s", g.status, g.header, g.text)
	}
	if g = ask(t, s, body); g.status != 500 || g.header.Get("X-Should-Retry") != "false" ||
		g.body.Object("error").Text("type") != "server_error" {
		t.Errorf("second: %d %v %s", g.status, g.header, g.text)
	}
	resp, err := http.Post(s.URL()+"/responses", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var text strings.Builder
	if _, err := io.Copy(&text, resp.Body); err == nil {
		t.Error("the third stream ends well, want it cut")
	}
	if n := strings.Count(text.String(), "event: "); n != 3 {
		t.Errorf("%d events before the cut, want three", n)
	}
	accepted(t, s, with(list(user("x"))))
	for i, want := range []int{429, 500, 200, 200} {
		if r := s.Requests()[i]; r.Status != want || r.Broken != (i == 2) {
			t.Errorf("request %d: %+v, want status %d", i, r.Recorded, want)
		}
	}
}
