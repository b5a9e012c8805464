package model

import (
	"errors"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/fakeupstream"
	"killick/internal/recorded"
	"killick/view"
)

// realConversation returns the longest request of a recorded conversation: all messages
// before its last answer.
type realConversation struct {
	id   string
	body []byte
	req  *view.Request
}

// realConversations returns the conversations of at least this many bytes that an upstream
// would accept.
func realConversations(t *testing.T, least int) (all []realConversation) {
	t.Helper()
	for _, c := range recorded.Conversations(t) {
		last := len(c.Messages) - 1
		for last > 0 && !c.FromAssistant(last) {
			last--
		}
		body := c.Body(`"model":"gpt-5.1","stream":true`, last)
		if last == 0 || len(body) < least || fakeupstream.Check(body) != nil {
			continue
		}
		req, err := chat.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, realConversation{id: c.ID, body: body, req: req})
	}
	return all
}

// longConversation is a size in bytes. At four bytes per token these are the 20,000 tokens above
// which the smallest profile compacts.
const longConversation = 80_000

func TestAppendOnRealConversations(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	all := realConversations(t, longConversation)
	var spent Usage
	lowest := 1.0
	// What a wordy model writes is corrected.
	for _, kind := range []fakeupstream.Kind{fakeupstream.Faithful, fakeupstream.Wordy} {
		s := start(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{Kind: kind}})
		tr := transport(t)
		c := New(Options{Transport: tr, Trace: func(step Step) {
			share := float64(step.Usage.CachedTokens) / float64(step.Usage.PromptTokens)
			if lowest = min(lowest, share); share < 0.9 {
				t.Errorf("%s, %s: %.1f%% of %d tokens were cached, want at least 90%%",
					step.Task, step.Form, 100*share, step.Usage.PromptTokens)
			}
		}})
		for i, conversation := range all {
			if kind == fakeupstream.Wordy && i%3 != 0 {
				continue
			}
			s.Reset()
			post(t, s, tr, conversation.body)
			msgs := conversation.req.Messages()
			call := ofTheClient(s, conversation.body)
			call.Key = conversation.id
			span := Span{Messages: msgs[1 : len(msgs)*2/3]}
			w, err := c.Statements(t.Context(), call, span)
			if err != nil && !(kind == fakeupstream.Wordy && errors.Is(err, ErrMalformed)) {
				t.Errorf("%s, %s: %v", conversation.id, kind, err)
				continue
			}
			if kind == fakeupstream.Faithful {
				_, more, err := c.Questions(t.Context(), call, span, 3)
				if err != nil {
					t.Errorf("%s: questions: %v", conversation.id, err)
				}
				w.Usage.Add(more)
			}
			spent.Add(w.Usage)
		}
	}
	share := float64(spent.CachedTokens) / float64(spent.PromptTokens)
	t.Logf("%d real conversations, %d calls: %.2f%% of %d input tokens were cached, of a call at "+
		"least %.2f%%", len(all), spent.Calls, 100*share, spent.PromptTokens, 100*lowest)
}

func TestStandaloneOnRealConversations(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	all := realConversations(t, longConversation)
	s := start(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{}, Window: 32768})
	c := standalone(t, s, Options{Window: 32768, MaxPieces: 12})
	calls := 0
	for i, conversation := range all {
		if i%2 != 0 {
			continue
		}
		msgs := conversation.req.Messages()
		call := Call{Key: conversation.id}
		soFar := strings.Repeat("What came before is recorded here. ", 500)
		w, err := c.Statements(t.Context(), call, Span{Messages: msgs[1:], SoFar: soFar})
		if err != nil || w.Form != Structured {
			t.Errorf("%s of %d messages: %q, %v", conversation.id, len(msgs), w.Form, err)
		}
		_, _, err = c.Questions(t.Context(), call, Span{Messages: msgs[1:]}, 3)
		if err != nil {
			t.Errorf("%s: questions: %v", conversation.id, err)
		}
		calls += w.Usage.Calls
	}
	t.Logf("%d real conversations in a window of 32,768 tokens: %d pieces", (len(all)+1)/2, calls)
}
