package model

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"killick/internal/fakeupstream"
	"killick/model/endpoint"
	"killick/probe"
)

// Answers to requests for statements: standalone, and in append, where messages have
// no numbers.
const (
	good = `{"statements":[{"section":"completed","text":"auth.go was edited.","messages":[2],` +
		`"quote":"edited auth.go"},{"section":"next","text":"The tests are missing.",` +
		`"messages":[4,5],"quote":"Next I will write the tests."}]}`
	goodAppend = `{"statements":[{"section":"completed","text":"auth.go was edited.",` +
		`"quote":"edited auth.go"},{"section":"next","text":"The tests are missing.",` +
		`"quote":"Next I will write the tests."}]}`
)

func TestStatements(t *testing.T) {
	s := start(t, answering(good))
	got, err := standalone(t, s, Options{APIKey: "operator"}).Statements(t.Context(), Call{},
		oneTurn(t))
	want := []probe.Statement{
		{Section: "completed", Text: "auth.go was edited.", Messages: []int{2},
			Quote: "edited auth.go"},
		{Section: "next", Text: "The tests are missing.", Messages: []int{4, 5},
			Quote: "Next I will write the tests."},
	}
	if err != nil || got.Form != Structured || got.Usage.Calls != 1 ||
		!reflect.DeepEqual(got.Statements, want) {
		t.Errorf("%+v, %v; want the scripted statements at the first call", got, err)
	}
}

// A rejected answer is not returned together with the error of the retry.
func TestARetryThatFails(t *testing.T) {
	const half = `{"statements":[{"section":"completed","text":"auth.go was edited."}]}`
	s := start(t, replying(fakeupstream.Reply{Content: half}, fakeupstream.Reply{Status: 503}))
	w, err := standalone(t, s, Options{}).Statements(t.Context(), Call{}, oneTurn(t))
	if !errors.Is(err, endpoint.ErrUnavailable) || w.Form != "" || w.Usage.Calls != 2 ||
		w.Statements != nil {
		t.Errorf("%+v, %v; want no statements after two calls", w, err)
	}
}

// One client serves all conversations at once.
func TestConcurrentCalls(t *testing.T) {
	s := start(t, fakeupstream.Config{
		Scripted:    &fakeupstream.Scripted{Kind: fakeupstream.Sloppy},
		Unsupported: []string{"json_schema", "max_completion_tokens"},
	})
	var steps, calls atomic.Int64
	c := standalone(t, s, Options{Limits: Limits{Calls: -1}, Trace: func(Step) { steps.Add(1) }})
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			w, err := c.Statements(t.Context(), Call{Key: strconv.Itoa(i % 3)}, oneTurn(t))
			if err != nil || w.Form != Corrected {
				t.Errorf("%q, %v", w.Form, err)
			}
			calls.Add(int64(w.Usage.Calls))
		})
	}
	group.Wait()
	if calls.Load() != steps.Load() || calls.Load() != int64(len(s.Requests())) {
		t.Errorf("%d calls counted, %d traced, %d made",
			calls.Load(), steps.Load(), len(s.Requests()))
	}
}

// The numbers of later turns continue those of the conversation.
func TestMessagesAreNumbered(t *testing.T) {
	s := start(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{}})
	span := oneTurn(t)
	span.First = 41
	c := standalone(t, s, Options{})
	w, err := c.Statements(t.Context(), Call{}, span)
	if err != nil || len(w.Statements) == 0 {
		t.Fatalf("%+v, %v", w, err)
	}
	for _, st := range w.Statements {
		if len(st.Messages) != 1 || st.Messages[0] < 41 || st.Messages[0] >= 41+len(span.Messages) {
			t.Errorf("%+v, want a message from 41 on", st)
		}
	}
	q, _, err := c.Questions(t.Context(), Call{}, span, 3)
	if err != nil || q[0].Message < 41 {
		t.Errorf("%+v, %v; want messages from 41 on", q, err)
	}
}

func TestOperatorsGuidance(t *testing.T) {
	for _, test := range []struct {
		opt        Options
		want, lost string
	}{
		{Options{}, "Copy identifiers character by character", "operator"},
		{Options{Identifiers: RedactIdentifiers}, "Leave identifiers out", "Copy identifiers"},
		{Options{Instructions: "  Dosages matter most.\n"},
			"<operator_guidance>\nDosages matter most.\n</operator_guidance>", "Leave identifiers"},
		{Options{Instructions: strings.Repeat("é", MaxInstructions) + "LOST"},
			"é…\n</operator_guidance>", "LOST"},
	} {
		text := shown(t, test.opt, oneTurn(t))
		if !strings.Contains(text, test.want) || strings.Contains(text, test.lost) {
			t.Errorf("%.40q, %q: want %q and not %q",
				test.opt.Instructions, test.opt.Identifiers, test.want, test.lost)
		}
		if !strings.Contains(text, "Do not write what the user wants, allows, forbids") {
			t.Error("the prompt does not forbid to say what the user wants")
		}
	}
}
