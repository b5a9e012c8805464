package fakeresponses

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"killick/internal/fakeserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a server for one test.
func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	s := New(cfg)
	t.Cleanup(func() {
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// clock is a time that tests move.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time     { return c.now }
func (c *clock) add(d time.Duration) { c.now = c.now.Add(d) }

// got is what came back for a request.
type got struct {
	status int
	header http.Header
	text   string
	body   Object // nil if it is not a JSON object
}

// send sends a request and reads the whole answer.
func send(t *testing.T, s *Server, method, path, body string, header ...string) got {
	t.Helper()
	req, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	o, _ := parseObject(b)
	return got{resp.StatusCode, resp.Header, string(b), o}
}

// ask sends a request for a response.
func ask(t *testing.T, s *Server, body string, header ...string) got {
	t.Helper()
	return send(t, s, http.MethodPost, "/responses", body, header...)
}

// accepted sends a request for a response that has to be accepted.
func accepted(t *testing.T, s *Server, body string, header ...string) Object {
	t.Helper()
	g := ask(t, s, body, header...)
	if g.status != http.StatusOK {
		t.Fatalf("status %d, want 200: %s\n%s", g.status, g.text, body)
	}
	return g.body
}

// refusal is an error that is wanted; "" for param and code is null.
type refusal struct {
	status               int
	param, code, message string
}

// check compares an answer with the error that is wanted, in OpenAI's shape.
func (want refusal) check(t *testing.T, g got) {
	t.Helper()
	e := g.body.Object("error")
	if g.status != want.status || e.Text("message") != want.message ||
		e.Text("param") != want.param || e.Text("code") != want.code ||
		e.Text("type") != "invalid_request_error" {
		t.Errorf("got  %d %s\nwant %+v", g.status, g.text, want)
	}
	for _, name := range []string{"message", "type", "param", "code"} {
		if _, there := e[name]; !there {
			t.Errorf("the error has no %s: %s", name, g.text)
		}
	}
}

// with is a request with an input: items, or members of the request after the list.
func with(items []string, members ...string) string {
	all := append([]string{`"model":"gpt-6.1"`, `"input":[` + strings.Join(items, ",") + `]`},
		members...)
	return "{" + strings.Join(all, ",") + "}"
}

// list is the list of its arguments.
func list(items ...string) []string { return items }

// encode spells items of an answer as a client would send them back.
func encode(items ...Object) []string {
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = canonical(item)
	}
	return all
}

// user and assistant are messages.
func user(text string) string {
	return canonical(Object{"type": "message", "role": "user",
		"content": []any{Object{"type": "input_text", "text": text}}})
}

func assistant(text string) string {
	return canonical(Object{"type": "message", "role": "assistant", "phase": "final_answer",
		"content": []any{Object{"type": "output_text", "text": text}}})
}

func call(id string) string {
	return `{"type":"function_call","call_id":"` + id + `","name":"read","arguments":"{}"}`
}

func result(id, text string) string {
	return canonical(Object{"type": "function_call_output", "call_id": id, "output": text})
}

// itemOf returns the first item of a type in an answer.
func itemOf(t *testing.T, body Object, typ string) Object {
	t.Helper()
	for _, item := range body.Objects("output") {
		if item.Text("type") == typ {
			return item
		}
	}
	t.Fatalf("no %s in %s", typ, fakeserver.EncodeJSON(body))
	return nil
}
