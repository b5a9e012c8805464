package formats

import (
	"slices"
	"testing"

	"killick/chat"
	"killick/converse"
	"killick/gemini"
	"killick/internal/convert"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakeconverse"
	"killick/internal/fakegemini"
	"killick/internal/fakemessages"
	"killick/internal/fakemessages/claude"
	"killick/internal/fakeollama"
	"killick/internal/fakeresponses"
	"killick/internal/fakeserver"
	"killick/internal/fakeupstream"
	"killick/messages"
	"killick/responses"
	"killick/view"
)

// lane is one wire format: how a client uses it, and an upstream that is as strict as the real one.
type lane struct {
	format  view.Format
	path    string
	header  []string // of each request
	convert func(chat []byte) ([]byte, error)

	base     string // URL of the upstream
	requests func() []fakeserver.Recorded
	reset    func()
}

// anyModel is what the strict upstream of the Messages API makes of models that are not Claude's.
// With the same model, and so the same tokenizer, formats can be compared.
var anyModel = claude.Model{Prefill: true, SystemMessages: true}

const model = "gpt-4o"

// lanes starts an upstream for each format.
func lanes(t testing.TB) (all []*lane) {
	t.Helper()
	up := fakeupstream.New(fakeupstream.Config{Record: true})
	t.Cleanup(up.Close)
	all = append(all, &lane{
		format: chat.Format, path: "/v1/chat/completions", base: up.URL(), reset: up.Reset,
		header:   []string{"Authorization", "Bearer key"},
		convert:  func(b []byte) ([]byte, error) { return b, nil },
		requests: up.Server.Requests,
	})
	return append(all, messagesLane(t, fakemessages.Config{
		Models: map[string]claude.Model{model: anyModel},
	}), responsesLane(t, fakeresponses.Config{}), geminiLane(t, fakegemini.Config{}),
		assistLane(t, fakegemini.Config{}), converseLane(t, fakeconverse.Config{Untooled: true}),
		ollamaLane(t, fakeollama.Config{}))
}

// asAssist returns a chat request as one for Code Assist.
func asAssist(chat []byte) ([]byte, error) {
	request, err := convert.Gemini(chat)
	if err != nil {
		return nil, err
	}
	return ofModel(assisted(request)), nil
}

// assistLane is Code Assist.
func assistLane(t testing.TB, c fakegemini.Config) *lane {
	t.Helper()
	l := geminiLane(t, c)
	l.format, l.path, l.convert = gemini.CodeAssist, assistPath, asAssist
	l.header = []string{"Authorization", "Bearer key"}
	return l
}

func converseLane(t testing.TB, c fakeconverse.Config) *lane {
	t.Helper()
	c.Record = true
	up := fakeconverse.New(c)
	t.Cleanup(up.Close)
	return &lane{
		format: converse.Format, path: "/model/" + model + "/converse", base: up.URL(),
		reset: up.Reset, header: []string{"Authorization", "Bearer key"},
		convert: convert.Converse, requests: up.Requests,
	}
}

func ollamaLane(t testing.TB, c fakeollama.Config) *lane {
	t.Helper()
	c.Record = true
	up := fakeollama.New(c)
	t.Cleanup(up.Close)
	return &lane{
		format: chat.Ollama, path: ollamaPath, base: up.URL(), reset: up.Reset,
		header:   []string{"Authorization", "Bearer key"}, // of ollama.com
		convert:  func(b []byte) ([]byte, error) { return convert.Ollama(b), nil },
		requests: up.Requests,
	}
}

func geminiLane(t testing.TB, c fakegemini.Config) *lane {
	t.Helper()
	c.Record = true
	up := fakegemini.New(c)
	t.Cleanup(up.Close)
	return &lane{
		format: gemini.Format, path: "/v1beta/models/" + model + ":generateContent",
		base: up.URL(), reset: up.Reset, header: []string{"X-Goog-Api-Key", "key"},
		convert: convert.Gemini, requests: up.Requests,
	}
}

func messagesLane(t testing.TB, c fakemessages.Config) *lane {
	t.Helper()
	c.Record = true
	up := fakemessages.New(c)
	t.Cleanup(up.Close)
	return &lane{
		format: messages.Format, path: "/v1/messages", base: up.URL() + "/v1", reset: up.Reset,
		header:   []string{"X-Api-Key", "key", "Anthropic-Version", "2023-06-01"},
		convert:  convert.Messages,
		requests: up.Server.Requests,
	}
}

func responsesLane(t testing.TB, c fakeresponses.Config) *lane {
	t.Helper()
	c.Record = true
	up := fakeresponses.New(c)
	t.Cleanup(up.Close)
	return &lane{
		format: responses.Format, path: "/v1/responses", base: up.URL(), reset: up.Reset,
		header:   []string{"Authorization", "Bearer key"},
		convert:  func(b []byte) ([]byte, error) { return convert.Responses(b), nil },
		requests: up.Server.Requests,
	}
}

// send sends a request through a replica and returns the answer and what the upstream got.
func (l *lane) send(
	t testing.TB, r *replica, body []byte, more ...string,
) (proxytest.Answer, []byte) {
	t.Helper()
	l.reset()
	a := r.Ask(t, "POST", l.path, body, slices.Concat(l.header, more)...)
	seen := l.requests()
	if len(seen) != 1 {
		t.Fatalf("%s: the upstream got %d requests, want 1: %d %.300s", l.format.Name(), len(seen),
			a.Status, a.Body)
	}
	return a, seen[0].Body
}
