package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/groundcheck"
	"killick/internal/replayreport"
)

// calledTool is a call with its result.
type calledTool struct{ tool, arguments, result string }

// withCalls returns a request in which an agent, after these messages, made calls one by one, each
// with the same words, and then took so many turns that a fold leaves.
func withCalls(t *testing.T, calls []calledTool, staying int, words string, before ...any) []byte {
	t.Helper()
	var messages []string
	say := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, string(b))
	}
	for _, m := range before {
		say(m)
	}
	for i, c := range calls {
		id := fmt.Sprint("c", i)
		say(map[string]any{"role": "assistant", "content": words, "tool_calls": []any{
			map[string]any{"id": id, "type": "function",
				"function": map[string]any{"name": c.tool, "arguments": c.arguments}}}})
		say(map[string]any{"role": "tool", "tool_call_id": id, "content": c.result})
	}
	for range staying {
		say(map[string]any{"role": "assistant", "content": words})
		say(map[string]any{"role": "user", "content": "And now?"})
	}
	return []byte(`{"model":"gpt-4o","messages":[` + strings.Join(messages, ",") + `]}`)
}

// checkRecord has a request folded, and checks that its record says what is mapped to true, not
// what is mapped to false, and nothing that is not grounded.
func checkRecord(t *testing.T, c config.Config, raw []byte, says map[string]bool) {
	t.Helper()
	forward, closeStore, err := replayreport.Strategy("", c).Open(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeStore() })
	sent := forward(raw).Body
	records := recordsIn(t, sent)
	for text, want := range says {
		if bytes.Contains(records, []byte(text)) != want {
			t.Errorf("%q is in the record: %t, want %t", text, !want, want)
		}
	}
	for _, f := range groundcheck.Check(raw, sent).Faults {
		t.Error(f)
	}
	if t.Failed() {
		t.Logf("%s", records)
	}
}
