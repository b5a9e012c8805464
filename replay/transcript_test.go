package replay

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/rawjson"
	"killick/replay/billing"
	"killick/view"
)

// say counts the tokens that a message itself states: the number at the beginning of its text, else
// 10. A request has 28 more tokens.
type say struct{}

func (say) Message(m *view.Message) int {
	word, _, _ := strings.Cut(m.Text(), " ")
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	return 10
}

func (say) Overhead(*view.Request) int { return 28 }

// msg returns a message with a text.
func msg(role, text string) string {
	return `{"role":"` + role + `","content":` + quoted(text) + `}`
}

// call returns an assistant message that makes one call.
func call(id, arguments string) string {
	return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id +
		`","type":"function","function":{"name":"edit","arguments":` + quoted(arguments) + `}}]}`
}

func result(id, text string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":` + quoted(text) + `}`
}

func quoted(s string) string { return string(rawjson.AppendQuoted(nil, s)) }

func transcriptOf(t testing.TB, messages ...string) *Transcript {
	t.Helper()
	all, err := Read("test.jsonl",
		strings.NewReader(`{"id":"test","model":"m","messages":[`+strings.Join(messages, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func study(t testing.TB, counter Counter, messages ...string) *Study {
	t.Helper()
	s, err := NewStudy(transcriptOf(t, messages...), counter)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tenth has a cached token at a tenth of a fresh one, and nothing else that costs more or less.
var tenth = billing.Profile{Name: "tenth", Cached: .1, Write: 1, Output: 8, Lifetime: time.Hour}

func measure(t testing.TB, s *Study, strategy Strategy) *Figures {
	t.Helper()
	f, err := s.Measure(strategy, []billing.Profile{tenth}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// replacing returns a strategy that replaces old by new in bodies with more than this many
// messages.
func replacing(messages int, pairs ...string) Strategy {
	return Strategy{Name: "replacing", Open: stateless(func(body []byte) []byte {
		req, err := chat.Parse(body)
		if err != nil || len(req.Messages()) <= messages {
			return body
		}
		return []byte(strings.NewReplacer(pairs...).Replace(string(body)))
	})}
}

func TestBody(t *testing.T) {
	tr := transcriptOf(t, msg("user", "a"), msg("assistant", "b"), msg("user", "c"),
		msg("assistant", "d"))
	if got, want := fmt.Sprint(tr.Turns()), "[1 3]"; got != want {
		t.Errorf("turns %s, want %s", got, want)
	}
	want := `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant",` +
		`"content":"b"},{"role":"user","content":"c"}]}`
	if got := string(tr.Body(3)); got != want {
		t.Errorf("body\n%s\nwant\n%s", got, want)
	}
	if req, err := chat.Parse(tr.Body(2)); err != nil ||
		!tr.sameFields(req.Raw(), req.Field("messages")) {
		t.Errorf("a body of its own has other fields: %v", err)
	}
}
