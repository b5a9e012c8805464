package model

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"killick/chat"
	"killick/internal/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a scripted upstream for one test.
func start(t *testing.T, cfg upstreamtest.Config) *upstreamtest.Server {
	t.Helper()
	cfg.Record = true
	s := upstreamtest.New(cfg)
	t.Cleanup(s.Close)
	return s
}

// transport carries the calls of one test.
func transport(t *testing.T) http.RoundTripper {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// answers scripts one answer after the other; the last is repeated.
func answering(answers ...upstreamtest.Reply) func(*chat.Request) upstreamtest.Reply {
	n := 0
	return func(*chat.Request) upstreamtest.Reply {
		n++
		return answers[min(n, len(answers))-1]
	}
}

func says(text string) upstreamtest.Reply { return upstreamtest.Reply{Content: text} }
