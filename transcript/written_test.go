package transcript

import (
	"testing"

	"killick/internal/chattest"
	"killick/view"
)

// Of a call in text it is known how it ended where its agent states an exit code, and that it is a
// command where it certainly is one.
func TestCallsInTextEnd(t *testing.T) {
	const block = "I look.\n```bash\nrm a.ts\n```"
	for name, c := range map[string]struct {
		called, returned string
		command          string
		status           Status
		exit             int
		doubtful         bool
	}{
		"mini-swe-agent": {block, "<returncode>0</returncode>\n<output>\n</output>", "rm a.ts", OK,
			0, false},
		"failed": {block, "<returncode>1</returncode>\n<output>\nNo such file\n</output>",
			"rm a.ts", Failed, 1, true},
		"killed": {block, "<returncode>-9</returncode>\n<output>\n</output>", "rm a.ts", Failed,
			-1, true},
		"two blocks": {"Not\n```\nls\n```\nbut\n```bash\nrm a.ts\n```",
			"<returncode>0</returncode>\n<output>\n</output>", "", OK, 0, false},
		"SWE-agent": {block, "OBSERVATION:\nExit code 1", "rm a.ts", Unknown, -1, true},
		"AutoGen": {block, "exitcode: 2 (execution failed)\nCode output: x", "", Failed, 2,
			true},
		"ReAct": {"Action: bash\nAction Input: {\"command\": \"ls\"}",
			"Observation: Command exited with code 1", "", Unknown, -1, true},
	} {
		msgs := []view.Message{*chattest.Message(t, chattest.Says(view.User, "Tidy up.")),
			*chattest.Message(t, chattest.Says(view.Assistant, c.called)),
			*chattest.Message(t, chattest.Says(view.User, c.returned))}
		read := ReadAll(msgs)
		if len(read.Calls) != 1 || read.Answered(2) != 0 {
			t.Errorf("%s: %d calls", name, len(read.Calls))
			continue
		}
		made := &read.Calls[0]
		if made.Command != c.command || made.Status != c.status || made.Exit != c.exit ||
			made.MayHaveFailed() != c.doubtful || made.Caller != 1 || made.Result != 2 {
			t.Errorf("%s: %q, status %d, exit code %d, in doubt: %t, want %+v", name, made.Command,
				made.Status, made.Exit, made.MayHaveFailed(), c)
		}
		for _, changed := range made.Changes() {
			if changed.Sure {
				t.Errorf("%s: it is certain to change %+v", name, changed)
			}
		}
		// without the message that has the call, and before the one that has its result
		if from := Read(msgs, view.Groups(msgs), 2); len(from.Calls) != 0 {
			t.Errorf("%s: calls of messages that are not read: %+v", name, from.Calls)
		}
		if before := read.CallsBefore(2); len(before) != 0 {
			t.Errorf("%s: calls whose results come later: %+v", name, before)
		}
	}
}
