package endpoint

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"killick/chat"
	"killick/internal/fakeupstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wire is a transport that answers from the test itself.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

func response(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body)),
	}
}

// completion is a whole answer with a text.
const completion = `{"choices":[{"index":0,"finish_reason":"stop","message":` +
	`{"role":"assistant","content":"Hello."}}]}`

// start runs a scripted upstream, and returns it with a transport to it.
func start(t *testing.T, cfg fakeupstream.Config) (*fakeupstream.Server, http.RoundTripper) {
	t.Helper()
	cfg.Record = true
	s := fakeupstream.New(cfg)
	t.Cleanup(s.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return s, tr
}

// hello returns a standalone request to the API at a base URL, with a client's own credentials.
func hello(t *testing.T, baseURL string) Request {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer client"}}
	target, err := NewTarget(baseURL+"/chat/completions", "writer", header, false)
	if err != nil {
		t.Fatal(err)
	}
	return Request{
		Target: target, Rules: "Be brief.", Messages: []Message{User("Hello?")}, MaxOutput: 8192,
		Schema: Schema{Name: "greeting", JSON: []byte(`{"type":"object"}`)},
	}
}

// afterBody is hello appended to a client's own body.
func afterBody(t *testing.T, baseURL string, body string) Request {
	t.Helper()
	r := hello(t, baseURL)
	var err error
	if r.Prefix, err = chat.Parse([]byte(body)); err != nil {
		t.Fatal(err)
	}
	r.Target.Model, r.Rules = r.Prefix.Model(), ""
	return r
}

// counted makes a request, and returns how many exchanges it took.
func counted(t *testing.T, c *Client, r Request) (exchanges int, err error) {
	t.Helper()
	r.Report = func(e Exchange) { exchanges += e.Usage.Calls }
	_, err = c.Ask(t.Context(), r)
	return exchanges, err
}
