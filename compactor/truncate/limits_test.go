package truncate

import (
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/chattest"
	"killick/view"
)

// What a command printed and what a search found is truncated from half of the limit on, a file and
// a failure from the limit on.
func TestCommandsAndSearchesAreTruncatedFirst(t *testing.T) {
	const limit = 1000
	between := strings.Repeat("a line of it\n", 3*limit/13) // three quarters of the limit
	for name, c := range map[string]struct {
		tool, arguments, end string
		short                bool
	}{
		"a command":             {"bash", `{"command":"go test ./..."}`, "", true},
		"a search":              {"grep", `{"pattern":"a line","path":"cmd"}`, "", true},
		"a listing":             {"bash", `{"command":"ls -R"}`, "", true},
		"a file":                {"read", `{"path":"a.go"}`, "", false},
		"a file, by a command":  {"bash", `{"command":"cat a.go"}`, "", false},
		"the report of another": {"task", `{"prompt":"Look at it."}`, "", false},
	} {
		msgs := append([]string{chattest.Says(view.User, strings.Repeat("Look. ", limit))},
			chattest.Exchange(c.tool, c.arguments, between+c.end)...)
		v, _ := pass(t, chattest.Request(t, chattest.Body(msgs)), limit)
		if got := len(v.Truncated) > 0; got != c.short {
			t.Errorf("%s: truncated: %v, want %v", name, got, c.short)
		}
	}
	failed := `{"role":"tool","tool_call_id":"f","is_error":true,"content":` +
		chattest.Quote(between) + "}"
	msgs := []string{chattest.Says(view.User, strings.Repeat("Look. ", limit)),
		chattest.Call("f", "Bash", `{"command":"go test ./..."}`), failed}
	if v, _ := pass(t, chattest.Request(t, chattest.Body(msgs)), limit); len(v.Truncated) > 0 {
		t.Error("a failure is truncated at half of the limit")
	}
}

// A request of at most the limit is not inspected, so its outputs stay whole on later turns too.
func TestOutputsOfSmallRequestsStayWhole(t *testing.T) {
	const limit = 1000
	msgs := append([]string{chattest.Says(view.User, "Look.")},
		chattest.Exchange("bash", `{"command":"make"}`, strings.Repeat("a line\n", 3*limit/7))...)
	msgs = append(msgs, chattest.Says(view.User, strings.Repeat("Look. ", limit)))
	if v, _ := pass(t, chattest.Request(t, chattest.Body(msgs)), limit); len(v.Truncated) > 0 {
		t.Error("an output is truncated that was sent whole before")
	}
}

// A repeat of an output that is truncated at half of the limit cannot refer to it either.
func TestARepeatOfATruncatedOutputIsTruncatedLikeIt(t *testing.T) {
	const limit = 1000
	content := strings.Repeat("a line of it\n", 3*limit/13)
	var parser view.Parser
	msgs := []string{chattest.Says(view.User, strings.Repeat("Look. ", limit))}
	for i := range 3 {
		id := fmt.Sprint("r", i)
		msgs = append(msgs, chattest.Call(id, "bash", `{"command":"make"}`),
			chattest.Result(id, content))
		req, err := parser.Parse(chat.Format, "ann", chattest.Body(msgs))
		if err != nil {
			t.Fatal(err)
		}
		v, _ := pass(t, req, limit)
		if len(v.Truncated) != i+1 {
			t.Errorf("%d of %d outputs are truncated", len(v.Truncated), i+1)
		}
		for k := range v.Messages {
			if strings.Contains(v.Messages[k].Text(), "Word for word") {
				t.Error("it refers to an output that is not whole")
			}
		}
	}
}
