package fakemessages

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"killick/internal/fakemessages/thinking"
)

func TestMain(m *testing.M) {
	// The connection of a request that was too large is closed half a second after its answer.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// start runs a server for one test.
func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	cfg.Record = true
	s := New(cfg)
	t.Cleanup(func() {
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// answered is what came back for a request.
type answered struct {
	status int
	header http.Header
	body   string
}

// post sends a body to a path with headers in pairs and reads the whole answer.
func post(t *testing.T, s *Server, path, body string, header ...string) answered {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Anthropic-Version", "2023-06-01")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{resp.StatusCode, resp.Header, string(b)}
}

func ask(t *testing.T, s *Server, body string, header ...string) answered {
	t.Helper()
	return post(t, s, "/v1/messages", body, header...)
}

// message is what tests read of an answer.
type message struct {
	ID      string
	Type    string
	Content []json.RawMessage
	Stop    string `json:"stop_reason"`
	Usage   usageJSON
	Changes []thinking.Transformation `json:"input_transformations"`
}

func (a answered) message(t *testing.T) (m message) {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("%d %s, want 200", a.status, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), &m); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return m
}

// invalidRequest is the type of most refusals.
const invalidRequest = "invalid_request_error"

// refusal returns the message of an error of the type and status, in Anthropic's shape.
func (a answered) refusal(t *testing.T, status int, typ string) string {
	t.Helper()
	var e struct {
		Type      string
		Error     struct{ Type, Message string }
		RequestID string `json:"request_id"`
	}
	err := json.Unmarshal([]byte(a.body), &e)
	if a.status != status || err != nil || e.Type != "error" || e.Error.Type != typ ||
		e.RequestID == "" || e.RequestID != a.header.Get("Request-Id") {
		t.Fatalf("%d %s (%v), want %d %s with the request's id", a.status, a.body, err, status, typ)
	}
	return e.Error.Message
}

// refused checks that a body is refused as invalid with a message that contains want.
func refused(t *testing.T, s *Server, want, body string, header ...string) {
	t.Helper()
	got := ask(t, s, body, header...).refusal(t, http.StatusBadRequest, invalidRequest)
	if !strings.Contains(got, want) {
		t.Errorf("refused with %q, want %q, for %.400s", got, want, body)
	}
}

// accepted checks that a body is answered.
func accepted(t *testing.T, s *Server, body string, header ...string) message {
	t.Helper()
	return ask(t, s, body, header...).message(t)
}

// The models of the tests: with manual thinking, with adaptive, and with preserved thinking.
const (
	older   = "claude-sonnet-4-5-20250929"
	newer   = "claude-opus-5"
	checks  = "claude-opus-5-5"
	leading = `"max_tokens":4096,`
)

// bodyOf is a request for a model; rest are members and then messages.
func bodyOf(model, rest string, messages ...string) string {
	if rest != "" {
		rest += ","
	}
	return `{"model":"` + model + `",` + leading + rest + `"messages":[` +
		strings.Join(messages, ",") + `]}`
}

func says(role, text string) string {
	return turnOf(role, `{"type":"text","text":`+quote(text)+`}`)
}

func turnOf(role string, blocks ...string) string {
	return `{"role":"` + role + `","content":[` + strings.Join(blocks, ",") + `]}`
}

func calls(id string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"read","input":{"path":"a.go"}}`
}

func results(id, text string) string {
	return `{"type":"tool_result","tool_use_id":"` + id + `","content":` + quote(text) + `}`
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

const (
	hi    = `{"role":"user","content":"hello"}`
	tools = `"tools":[{"name":"read","description":"reads","input_schema":{"type":"object"}}]`
)
