package fakeupstream

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"killick/proxy/events"
	"killick/rawjson"
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

// answer is what came back for a request.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

// send sends a request and reads the whole answer; err is that of the round
// trip, answer.err that of the body.
func send(method, url, body string, header ...string) (answer, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(b), err}, nil
}

// ask sends a chat request that has to be answered whole.
func ask(t *testing.T, s *Server, body string, header ...string) answer {
	t.Helper()
	a, err := send(http.MethodPost, s.URL()+"/chat/completions", body, header...)
	if err != nil || a.err != nil {
		t.Fatalf("asking: %v, %v", err, a.err)
	}
	return a
}

// value reads a member of a JSON body, several levels down.
func value(body string, path ...string) rawjson.Value {
	v := rawjson.Value(bytes.TrimSpace([]byte(body)))
	for _, key := range path {
		if key == "0" {
			for first := range v.Elements() {
				v = first
				break
			}
			continue
		}
		v = v.Get(key)
	}
	return v
}

// eventsOf returns the data of the events of a stream.
func eventsOf(stream string) []string {
	var all []string
	var reader events.Reader
	reader.Feed([]byte(stream), func(data []byte) { all = append(all, string(data)) })
	return all
}

const hello = `{"model":"gpt-5.1","messages":[{"role":"user","content":"hello"}]}`
