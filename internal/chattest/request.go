package chattest

import (
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// Body is the body of a request with these messages.
func Body(messages []string) []byte {
	return []byte(`{"model":"gpt-5.1", "messages": [` + strings.Join(messages, ",\n ") +
		`], "temperature":2.50,"stream":true}`)
}

// Request parses a body.
func Request(t testing.TB, body []byte) *view.Request {
	t.Helper()
	r, err := chat.Parse(body)
	if err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	return r
}

// Exchange is a call and its result.
func Exchange(name, args, result string) []string {
	return []string{Call("x", name, args), Result("x", result)}
}

// Counter counts four bytes as a token: coarse, but of the right order, and the same at every turn.
type Counter struct{}

// Message counts a message.
func (Counter) Message(m *view.Message) int { return 4 + len(m.Raw)/4 }

// Overhead counts what a request holds beside its messages.
func (Counter) Overhead(r *view.Request) int { return 3 + len(r.Field("tools"))/4 }

// Text counts a text.
func (Counter) Text(s string) int { return (len(s) + 3) / 4 }

// Ratio is that of a model that counts as this does.
func (Counter) Ratio([]byte) float64 { return 1 }
