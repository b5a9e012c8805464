package truncate

import (
	"fmt"
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// pass returns a conversation after a pass, with what the pass hides.
func pass(t *testing.T, req *view.Request, limit int) (*layout.View, []checkpoint.Original) {
	t.Helper()
	v := layout.New(req, chattest.Counter{})
	v.Split()
	p := Pass{
		Policy: &settings.Policy{}, Limit: limit, Count: chattest.Counter{},
		RefOf: func([]byte) string { return "h" },
	}
	p.Apply(v)
	return v, p.Originals
}

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

// What is within the first tokens of the turns stays whole, what ends after them does not.
func TestShortConversationsStayWhole(t *testing.T) {
	msgs := []string{chattest.Says(view.User, "Look at it.")}
	for i := range 2 {
		msgs = append(msgs, chattest.Call(fmt.Sprint("r", i), "read", `{"path":"a.go"}`),
			chattest.Result(fmt.Sprint("r", i), strings.Repeat("a long line of the file\n", 600)))
	}
	req := chattest.Request(t, chattest.Body(msgs))
	v := layout.New(req, chattest.Counter{})
	first := v.Before[3] // the task, a call, its output
	for after, want := range map[int]int{0: 2, first - 1: 2, first: 1, v.Before[5]: 0} {
		v := layout.New(req, chattest.Counter{})
		v.Split()
		p := Pass{
			Policy: &settings.Policy{}, Limit: 300, After: after, Count: chattest.Counter{},
			RefOf: func([]byte) string { return "h" },
		}
		p.Apply(v)
		if len(v.Truncated) != want {
			t.Errorf("after %d tokens %d outputs are truncated, want %d", after,
				len(v.Truncated), want)
		}
	}
}
