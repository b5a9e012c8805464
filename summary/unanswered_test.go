package summary

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/chattest"
)

// A record lists the calls without a result. It says of none that it ran, failed or used a file,
// and of a failed call whether it was made again without a result.
func TestCallsWithoutAResult(t *testing.T) {
	alone := func(id, tool, args string) []string {
		return []string{chattest.Call(id, tool, args), user("Stop.")}
	}
	src := sourceOf(t, talk(began, run("make bake", "2", "no oven"),
		alone("p", "write", `{"path":"/repo/oven/door.go","content":"x"}`),
		call("read", `{"path":"/repo/oven/heat.go"}`, "package oven"),
		alone("r", "todo_write", `{"todos":[{"id":"1","content":"bake","status":"pending"}]}`),
		alone("q", "Bash", `{"command":"make bake"}`), assistant("Well.")))
	n := len(src.Messages)
	whole := Read(src, src.Calls, 0, n, &Summary{})
	before := Read(src, src.CallsBefore(5), 0, 5, &Summary{})
	after := Read(src, src.Calls[len(src.CallsBefore(5)):], 5, n, &before)
	for name, sum := range map[string]Summary{"at once": whole, "merged": Merge(before, after)} {
		record := sum.Render(Room{Summary: 4000, All: 4000})
		for title, want := range map[string][]string{
			TitleUnanswered: {
				"- 10 Bash(make bake)", "- 8 todo_write(", "- 4 write(/repo/oven/door.go)",
			},
			TitleOpen: {"- 2 Bash(make bake) → exit code 2, called again (10) " +
				"without a result; it returned: no oven"},
			TitleState: {"- 12 assistant: Well.", "- last call: 10 Bash(make bake)"},
			TitleFiles: {"- read (6): /repo/oven/heat.go"},
			TitleNext:  nil,
		} {
			got := linesUnder(record, title)
			if !slices.EqualFunc(got, want, strings.HasPrefix) {
				t.Errorf("%s, %s: got %q, want %q in\n%s", name, title, got, want, record)
			}
		}
	}
}

// Of many calls without a result, the record has the newest, and says that it lacks others.
func TestManyCallsWithoutAResult(t *testing.T) {
	msgs := []string{user("x")}
	for i := range maxEntries + 1 {
		msgs = append(msgs, chattest.Call(fmt.Sprint(i), "bash", `{"command":"ls"}`), user("Stop."))
	}
	src := sourceOf(t, msgs)
	sum := Read(src, src.Calls, 0, len(src.Messages), &Summary{})
	if n := len(sum.Unanswered); n != maxEntries || !sum.Older.Unanswered ||
		sum.Unanswered[0].At != 2*maxEntries+2 {
		t.Errorf("%d, the newest in message %d, older ones: %t", n, sum.Unanswered[0].At,
			sum.Older.Unanswered)
	}
	if merged := Merge(sum, sum); len(merged.Unanswered) != maxEntries {
		t.Errorf("merged: %d", len(merged.Unanswered))
	}
}
