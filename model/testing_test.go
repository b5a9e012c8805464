package model

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"killick/internal/chattest"
	"killick/internal/fakeupstream"
	"killick/rawjson"
	"killick/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a scripted upstream for one test.
func start(t *testing.T, cfg fakeupstream.Config) *fakeupstream.Server {
	t.Helper()
	cfg.Record = true
	s := fakeupstream.New(cfg)
	t.Cleanup(s.Close)
	return s
}

// transport carries the calls of one test.
func transport(t *testing.T) http.RoundTripper {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// standalone returns a client of a scripted upstream's own model.
func standalone(t *testing.T, s *fakeupstream.Server, opt Options) *Client {
	opt.BaseURL, opt.Name, opt.Transport = s.URL(), "writer", transport(t)
	return New(opt)
}

// ofTheClient returns a call to the client's own model.
func ofTheClient(s *fakeupstream.Server, prefix []byte) Call {
	return Call{
		Prefix: prefix, URL: s.URL() + "/chat/completions",
		Header: http.Header{"Authorization": {"Bearer client"}},
	}
}

// replying scripts one reply after the other; the last is repeated.
func replying(replies ...fakeupstream.Reply) fakeupstream.Config {
	n := 0
	return fakeupstream.Config{Reply: func(*view.Request) fakeupstream.Reply {
		n++
		return replies[min(n, len(replies))-1]
	}}
}

// answering is replying with plain texts.
func answering(texts ...string) fakeupstream.Config {
	var replies []fakeupstream.Reply
	for _, text := range texts {
		replies = append(replies, fakeupstream.Reply{Content: text})
	}
	return replying(replies...)
}

// wire is a transport that answers from the test itself.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

func response(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body)),
	}
}

// completion returns a complete reply with a text.
func completion(text string) string {
	return `{"choices":[{"index":0,"message":{"role":"assistant","content":` + quote(text) +
		`},"finish_reason":"stop"}]}`
}

// quote returns a text as a JSON string.
func quote(text string) string { return string(rawjson.AppendQuoted(nil, text)) }

// body is a client's request with messages.
func body(fields string, messages ...string) []byte {
	return []byte(`{ "model" : "gpt-5.1",` + fields + ` "messages":[ ` +
		strings.Join(messages, " , ") + " ] }\n")
}

const tools = `"tools":[{"type":"function","function":{"name":"write_file","parameters":` +
	`{"type":"object","properties":{"path":{"type":"string"}}}}}],`

func message(role, text string) string {
	return `{"role":"` + role + `","content":` + quote(text) + `}`
}

// session returns a long conversation of a coding agent, written for these tests: a task, a rule,
// then edits with their outputs, each with a different fact.
func session(turns int) []string {
	all := []string{
		message("system", "You are a coding agent. "+
			strings.Repeat("Be careful with the files of the user. ", 40)),
		message("user", "Port the billing service to the new queue. "+
			"Never touch the file migrations/0042.sql. The server listens on port 8443."),
	}
	for i := range turns {
		arguments := fmt.Sprintf(`{"path":"src/part%d/queue.go","text":"package part%d"}`, i, i)
		output := strings.Repeat(fmt.Sprintf("line of output %d\n", i), 30)
		all = append(all, fmt.Sprintf(`{"role":"assistant","content":"I decided to use channel%d `+
			`instead of mutex%d because it is simpler.","tool_calls":[{"id":"call_%d",`+
			`"type":"function","function":{"name":"write_file","arguments":%s}}]}`, i, i, i,
			quote(arguments)),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"call_%d","content":%s}`, i, quote(output)))
	}
	return append(all,
		message("assistant",
			"I fixed the hash comparison in src/auth.go. Next I will write the tests."),
		message("user", "Go on."))
}

// oneTurn is a span of a short session.
func oneTurn(t *testing.T) Span {
	t.Helper()
	return Span{Messages: chattest.Messages(t, session(1)[1:]...)}
}
