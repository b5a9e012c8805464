package probe

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
)

// script writes a conversation as lines: "user: …", "assistant: …", "system: …", and a tool call with its result as
// "tool name {arguments} => result". A line that begins with a blank goes on with the message before it.
func script(t testing.TB, text string) []chat.Message {
	t.Helper()
	var msgs []chat.Message
	add := func(m map[string]any) {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		msg, err := chat.ParseMessage(raw)
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, msg)
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if n := len(lines); n > 0 && strings.HasPrefix(line, " ") {
			lines[n-1] += "\n" + strings.TrimSpace(line)
			continue
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, "tool "); ok {
			name, rest, _ := strings.Cut(rest, " ")
			args, result, _ := strings.Cut(rest, " => ")
			id := fmt.Sprintf("call_%d", i)
			add(map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": id, "type": "function",
				"function": map[string]any{"name": name, "arguments": args}}}})
			add(map[string]any{"role": "tool", "tool_call_id": id, "content": result})
			continue
		}
		role, content, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("script line %q has no role", line)
		}
		add(map[string]any{"role": role, "content": content})
	}
	return msgs
}

// line shows an answer in a test's log.
func line(a Answer) string {
	return fmt.Sprintf("  %.2f %s %s critical=%v contradicted=%v %q ← %q\n", a.Score, a.Category, a.Kind, a.Critical, a.Contradicted, a.Expected, a.Found)
}
