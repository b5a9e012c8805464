package fakemessages

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"killick/internal/fakemessages/request"
	"killick/internal/recorded"
)

// recordedTurns returns a recorded conversation as turns of the Messages API: the system prompt,
// and for each assistant turn its contents and what the user then sends.
func recordedTurns(t *testing.T, c *recorded.Conversation) (system string, turns []recordedTurn) {
	t.Helper()
	ids := 0
	open := map[string]string{} // ids of calls that have no result yet, and their new ones
	turns = []recordedTurn{{}}
	for _, raw := range c.Messages {
		var m struct {
			Role      string
			Content   json.RawMessage
			CallID    string `json:"tool_call_id"`
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		text := textOf(m.Content)
		last := &turns[len(turns)-1]
		switch m.Role {
		case "system":
			system += text
		case "tool":
			if id := open[m.CallID]; id != "" {
				last.user = append(last.user, results(id, text))
				delete(open, m.CallID)
			}
		case "user":
			if strings.TrimSpace(text) != "" {
				last.user = append(last.user, `{"type":"text","text":`+quote(text)+`}`)
			}
		case "assistant":
			var turn recordedTurn
			if strings.TrimSpace(text) != "" {
				turn.contents = append(turn.contents, Text(text))
			}
			for _, call := range m.ToolCalls {
				ids++
				open[call.ID] = fmt.Sprint("toolu_", ids)
				input := strings.TrimSpace(call.Function.Arguments)
				if !strings.HasPrefix(input, "{") || !json.Valid([]byte(input)) {
					input = `{"input":` + quote(input) + `}`
				}
				turn.contents = append(turn.contents,
					Call(open[call.ID], call.Function.Name, input))
			}
			turns = append(turns, turn)
		}
	}
	return system, turns
}

// recordedTurn is what the assistant says and what the user sends then. The first has no contents.
type recordedTurn struct {
	contents []Content
	user     []string
}

// answersAll reports whether the user's blocks are the results of all calls and then the rest.
func (r *recordedTurn) answersAll() bool {
	calls, leading := 0, 0
	for _, c := range r.contents {
		if c.typ == request.TypeToolUse {
			calls++
		}
	}
	for leading < len(r.user) && strings.HasPrefix(r.user[leading], `{"type":"tool_result"`) {
		leading++
	}
	return leading == calls
}

func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(content, &parts) // what is neither has no text
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// Recorded conversations, with thinking put in at every assistant turn, are accepted turn by turn
// on a model that checks prefixes, and refused once an early message changes.
func TestRecordedConversationsWithThinking(t *testing.T) {
	conversations, refusedTurns := 0, 0
	var byMarks, byPrefix int
	s := start(t, Config{})
	most := 30
	if testing.Short() {
		most = 5
	}
	for _, c := range recorded.Some(t, 0, 5) {
		system, turns := recordedTurns(t, &c)
		messages := []string{}
		rest := `"cache_control":{"type":"ephemeral"}`
		if system != "" {
			rest += `,"system":` + quote(system)
		}
		accepted := 0
		for i, turn := range turns[:min(len(turns), most)] {
			if len(turn.user) == 0 || i > 0 && (len(turn.contents) == 0 || !turn.answersAll()) {
				break // it was broken off, or recorded with a hole
			}
			if i > 0 {
				contents := append([]Content{Thinking("hm")}, turn.contents...)
				messages = append(messages, signedTurn(t, s, bodyOf(checks, rest, messages...),
					contents...))
			}
			messages = append(messages, turnOf("user", turn.user...))
			a := ask(t, s, bodyOf(checks, rest, messages...))
			if a.status != http.StatusOK {
				t.Fatalf("%s, turn %d: %d %s", c.ID, i, a.status, a.body)
			}
			requests := s.Requests()
			found := requests[len(requests)-1]
			byMarks, byPrefix = byMarks+found.Usage.CacheReadTokens, byPrefix+found.ByPrefix
			accepted++
		}
		s.Server.Reset()
		if accepted < 3 {
			continue
		}
		conversations++
		messages[0] = strings.Replace(messages[0], `"text":"`, `"text":"Note: `, 1)
		if a := ask(t, s, bodyOf(checks, rest, messages...)); a.status == http.StatusBadRequest {
			refusedTurns++
		}
	}
	t.Logf("%d conversations; marks read %d tokens, the longest prefix %d", conversations, byMarks,
		byPrefix)
	if conversations < 10 || refusedTurns != conversations {
		t.Errorf("%d of %d conversations refused once changed, want all of at least 10",
			refusedTurns, conversations)
	}
	if byMarks == 0 || byMarks > byPrefix {
		t.Errorf("marks read %d tokens, want some and at most the %d of the longest prefix",
			byMarks, byPrefix)
	}
}
