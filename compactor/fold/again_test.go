package fold

import (
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// What a tool returned again after it was hidden, such as a procedure that the agent follows, is
// quoted whole, once, and by later records too.
func TestWhatWasFetchedAgainIsQuoted(t *testing.T) {
	procedure := strings.Repeat("Set the field if the amount is over 400.\n", 40)
	more, long := procedure+"And sign it.", strings.Repeat(procedure, 6)
	for name, c := range map[string]struct {
		tool, arguments, first, second, third string
		want                                  int
	}{
		"the same":      {"get_procedure", `{"id":"CL-7"}`, procedure, procedure, procedure, 1},
		"something new": {"get_procedure", `{"id":"CL-7"}`, procedure, more, more + "!", 0},
		"new later":     {"get_procedure", `{"id":"CL-7"}`, procedure, procedure, more, 0},
		"too long":      {"get_procedure", `{"id":"CL-7"}`, long, long, long, 0},
		"a file":        {"Read", `{"file_path":"a.md"}`, procedure, procedure, procedure, 0},
		"a command":     {"Bash", `{"command":"cat a.md"}`, procedure, procedure, procedure, 0},
	} {
		msgs := []string{chattest.Says(view.User, "Settle the claim.")}
		use := func(id, tool, arguments, output string) int {
			msgs = append(msgs, chattest.Call(id, tool, arguments), chattest.Result(id, output))
			return len(msgs)
		}
		use("a", c.tool, c.arguments, c.first)
		first := use("b", "get_document", `{"n":1}`, "page 1")
		use("c", c.tool, c.arguments, c.second)
		second := use("d", "get_document", `{"n":2}`, "page 2")
		use("e", c.tool, c.arguments, c.third)
		third := use("f", "get_document", `{"n":3}`, "page 3")
		_, cp := foldsAt(t, settings.Policy{Target: 4000}, msgs, first, second, third)
		text := checkpoint.Text(cp.Records)
		block := "\n## Fetched again with the same result: message 7, of get_procedure(CL-7)\n" +
			"  | " + strings.ReplaceAll(strings.TrimSpace(procedure), "\n", "\n  | ") +
			"\n"
		if got := strings.Count(text, "## Fetched again"); got != c.want ||
			strings.Count(text, block) != c.want {
			t.Errorf("%s: %d blocks, want %d:\n%s", name, got, c.want, text)
		}
	}
}

// What was fetched again takes the room that the operator's pins leave, also those that come later.
// What the same call has returned otherwise since is not quoted.
func TestPinsComeBeforeWhatWasFetchedAgain(t *testing.T) {
	procedure := strings.Repeat("Set the field if the amount is over 400.\n", 40)
	ticket := strings.Repeat("The oven is broken.\n", 70)
	for name, c := range map[string]struct {
		tool, last   string // called after what was fetched again, and what it returned
		pins, quoted int
	}{
		"room for both":    {"get_ticket", "The oven is broken.", 1, 1},
		"room for the pin": {"get_ticket", ticket, 1, 0},
		"both are one":     {"get_ticket", procedure, 1, 0},
		"no pin":           {"get_document", ticket, 0, 1},
		"it has changed":   {"get_procedure", procedure + "And sign it.", 0, 0},
	} {
		for _, folds := range [][]int{{3, 7}, {3, 5, 7}} {
			msgs := []string{chattest.Says(view.User, "Settle the claim.")}
			for i, output := range []string{procedure, procedure, c.last} {
				tool, id := "get_procedure", string(rune('a'+i))
				if i == 2 {
					tool = c.tool
				}
				msgs = append(msgs, chattest.Call(id, tool, `{"id":"CL-7"}`),
					chattest.Result(id, output))
			}
			msgs = append(msgs, chattest.Says(view.Assistant, "It is settled."))
			policy := settings.Policy{Target: 4000, SummaryBytes: 6000,
				Pin: []string{"tool:get_ticket"}}
			_, cp := foldsAt(t, policy, msgs, folds...)
			text := checkpoint.Text(cp.Records)
			pins := strings.Count(text, "## Pinned by the operator")
			quoted := strings.Count(text, "## Fetched again")
			if pins != c.pins || quoted != c.quoted {
				t.Errorf("%s, folded at %v: %d pins and %d fetched again, want %d and %d:\n%s",
					name, folds, pins, quoted, c.pins, c.quoted, text)
			}
		}
	}
}
