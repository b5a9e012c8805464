package probe_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor"
	"killick/probe"
)

// The records of the extractive summariser are judged as well. It is asked through its own package, at cut points of its own
// choosing, before any repair.

// made is a record that the summariser made, and what it was to replace.
type made struct {
	replaced []chat.Message
	record   string
}

// records compacts the talk to a third and returns the first drafts of what takes its turns' place.
func (t *talk) records(tb testing.TB) (out []made) {
	tb.Helper()
	body := []byte(`{"model":"gpt-5","messages":[`)
	for i := range t.msgs {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, t.msgs[i].Raw...)
	}
	body = append(body, "]}"...)
	req, err := chat.Parse(body)
	if err != nil {
		tb.Fatal(err)
	}
	tokens := letters{}.Text(string(body))
	catcher := &catching{}
	engine := compactor.New(compactor.Options{
		Policy:  compactor.Policy{Trigger: compactor.Size(max(1000, tokens/2)), Target: compactor.Size(max(1000, tokens/3))},
		Counter: func(string) compactor.Counter { return letters{} },
		Store:   noStore{},
		Prober:  catcher,
	})
	defer engine.Close()
	engine.Compact(context.Background(), req, "study")
	return catcher.made
}

// catching is a prober that lets every record pass and keeps it.
type catching struct{ made []made }

func (c *catching) Questions(replaced []chat.Message) func(string) (compactor.Probe, []string) {
	return func(record string) (compactor.Probe, []string) {
		c.made = append(c.made, made{replaced, record})
		return compactor.Probe{Verdict: compactor.Pass, Score: 1}, nil
	}
}

// letters counts four bytes a token.
type letters struct{}

func (letters) Message(m *chat.Message) int { return 4 + len(m.Raw)/4 }
func (letters) Overhead(*chat.Request) int  { return 3 }
func (letters) Text(s string) int           { return len(s)/4 + 1 }
func (letters) Ratio() float64              { return 1 }

// noStore remembers nothing.
type noStore struct{}

func (noStore) Conversation(string, []chat.Message) compactor.Conversation { return noStore{} }

func (noStore) Longest(context.Context, int) ([]byte, int, bool, error) { return nil, 0, false, nil }
func (noStore) Put(_ context.Context, _ int, value []byte) ([]byte, error) {
	return bytes.Clone(value), nil
}
func (noStore) Name(int) string                                  { return "study" }
func (noStore) Handle([]byte) string                             { return "0123456789abcdef" }
func (noStore) Keep(context.Context, []compactor.Original) error { return nil }

// examineRecords judges what the summariser made of the talk: with the questions, as it is wired, and mended once.
func (s *study) examineRecords(tb testing.TB, t *talk) {
	for _, m := range t.records(tb) {
		questions := probe.Draw(m.replaced, probe.Config{})
		r := probe.Ask(questions, m.record, probe.Config{})
		s.row(extractive).add(r)
		mended := m.record + "\n" + strings.Join(probe.Repair(r, probe.Config{}), "\n")
		s.row(extractiveMended).add(probe.Ask(questions, mended, probe.Config{}))
	}
}

const (
	extractive       = "extractive, as first made"
	extractiveMended = "extractive, repaired once"
)
