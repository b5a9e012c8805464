package fold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// What a record holds of what it replaces is counted before anything is mended; what
// it lacks is added, as much as there is room for, and the number of lines reported.
func TestCoverageIsCountedAndRepaired(t *testing.T) {
	edits := []string{
		chattest.Says(view.User, "Mend the oven of the bakery in the harbour, please."),
	}
	for i := range 40 {
		edits = append(
			edits,
			chattest.Exchange(
				"Edit",
				chattest.Object(
					"file_path",
					fmt.Sprintf("oven_%d.go", i),
					"old_string",
					"a",
					"new_string",
					"b",
				),
				"ok",
			)...)
	}
	failing := append([]string(nil), edits[0])
	for i := range 9 {
		failing = append(
			failing,
			chattest.Exchange(
				"Bash",
				chattest.Object(
					"command",
					fmt.Sprintf("make part%d %s", i, strings.Repeat("again ", 20)),
				),
				"Exit code 2\nFAIL",
			)...)
	}
	requests := append([]string(nil), edits[0])
	for i := range 40 {
		requests = append(
			requests,
			chattest.Says(view.Assistant, "Yes."),
			chattest.Says(
				view.User,
				fmt.Sprintf("Step %d is to be done before the next one begins.", i),
			),
		)
	}
	repeated := append([]string(nil), edits[0])
	for range 200 {
		repeated = append(repeated, chattest.Says(view.Assistant, "Yes."),
			chattest.Says(view.User, "The task is not complete. Go on until it is."))
	}
	edit := chattest.Object("file_path", "oven.go", "old_string", "a", "new_string", "b")
	failed := chattest.Exchange("Bash", `{"command":"make"}`, "Exit code 2\nFAIL")
	with := func(more ...[]string) []string {
		return append(slices.Clone(edits[:1]), slices.Concat(more...)...)
	}
	for name, c := range map[string]struct {
		msgs []string
		room settings.Size
		of   int  // things to be held
		all  bool // are
	}{
		"files, with room":       {edits, 12_000, 41, true},
		"files, without":         {edits, 40, 41, false},
		"failing calls":          {failing, 12_000, 10, true},
		"failing calls, without": {failing, 40, 10, false},
		"requests":               {requests, 12_000, 41, true},
		"requests, without":      {requests, 40, 41, false},
		"the same request":       {repeated, 12_000, 2, true},
		"a file written twice": {with(chattest.Exchange("Edit", edit, "ok"),
			chattest.Exchange("Edit", edit, "ok")), 12_000, 2, true},
		"a file that is read": {with(chattest.Exchange("Read", `{"file_path":"oven.go"}`, "a")),
			12_000, 1, true},
		"a file not written": {with(chattest.Exchange("Edit", edit,
			"<tool_use_error>String to replace not found in file.</tool_use_error>")),
			12_000, 2, true},
		"the same failure again": {with(failed, failed), 12_000, 2, true},
		"a failure that is mended": {with(failed, chattest.Exchange("Bash", `{"command":"make"}`,
			"Exit code 0\nok")), 12_000, 1, true},
		"todos": {with(chattest.Exchange("TodoWrite", `{"todos":[{"content":"Heat the oven",`+
			`"status":"pending"},{"content":"Buy flour","status":"completed"},{"content":`+
			`"Bake","status":"in_progress"}]}`, "ok")), 12_000, 3, true},
	} {
		_, cp := foldsAt(
			t,
			settings.Policy{Target: c.room, CheckCoverage: true},
			c.msgs,
			len(c.msgs),
		)
		p, text := cp.Probe, checkpoint.Text(cp.Records)
		if p.Of != c.of || (p.Held == p.Of) != c.all ||
			p.Coverage() != float64(p.Held)/float64(p.Of) {
			t.Errorf("%s: %d of %d held, want of %d, all %t", name, p.Held, p.Of, c.of, c.all)
		}
		_, also, _ := strings.Cut(text, "\n## Also\n")
		if got := strings.Count("\n"+also, "\n- "); got != p.Repaired ||
			p.Repaired != min(p.Of-p.Held, maxRepairs) {
			t.Errorf(
				"%s: %d lines are added, %d reported, %d things were missing:\n%s",
				name,
				got,
				p.Repaired,
				p.Of-p.Held,
				also,
			)
		}
	}
	if _, cp := foldsAt(t, settings.Policy{Target: 40}, edits, len(edits)); cp.Probe != nil ||
		strings.Contains(checkpoint.Text(cp.Records), "## Also") {
		t.Error("without being asked for, it is counted")
	}
	var none compaction.Probe
	if none.Coverage() != 1 {
		t.Errorf("of nothing %v is held", none.Coverage())
	}
}

// What is added fits what the whole record may take.
func TestRepairsAreBounded(t *testing.T) {
	c := coverage{}
	c.item(true, func() string { t.Error("a repair of what is held"); return "" })
	for i := range 20 {
		c.item(false, func() string { return fmt.Sprintf("line %d", i) })
	}
	if c.held != 1 || c.of != 21 {
		t.Errorf("%d of %d", c.held, c.of)
	}
	for room, want := range map[int]int{-5: 0, 0: 0, 8: 0, 9: 1, 17: 1, 18: 2, 1000: maxRepairs} {
		if got := c.repairs(room); len(got) != want {
			t.Errorf("%d lines in %d bytes, want %d", len(got), room, want)
		}
	}
}

// A line that is added names the participant, and one that is there is not added again.
func TestRepairsNameParticipants(t *testing.T) {
	msgs := []string{chattest.Says(view.User, "Plan the meeting.")}
	for i := range 60 {
		said := chattest.Says(view.User,
			fmt.Sprintf("Proposal %d is that all of us meet on the day after that one.", i))
		msgs = append(msgs, chattest.Says(view.Assistant, "Yes."),
			strings.Replace(said, `"role":`, fmt.Sprintf(`"name":"p%d","role":`, i%4), 1))
	}
	_, cp := foldsAt(t, settings.Policy{Target: 800, CheckCoverage: true}, msgs, len(msgs))
	text := checkpoint.Text(cp.Records)
	repaired := 0
	for line := range strings.Lines(text) {
		quote, ok := strings.CutPrefix(line, "- ")
		if label, words, found := strings.Cut(quote, ": Proposal "); ok && found {
			repaired++
			at, by, _ := strings.Cut(label, " user")
			var number, i int
			_, _ = fmt.Sscan(at, &number)
			_, _ = fmt.Sscan(words, &i)
			if want := fmt.Sprintf(" p%d", i%4); by != want || number != 2*i+3 {
				t.Errorf("%q, want the participant%s", line, want)
			}
			if strings.Count(text, ": Proposal "+strings.Fields(words)[0]+" is") > 1 {
				t.Errorf("%q stands twice", line)
			}
		}
	}
	if repaired == 0 || cp.Probe.Repaired == 0 {
		t.Errorf("%d lines, %+v", repaired, cp.Probe)
	}
}

// A command that failed after it went on in a session is added as that command, unless it was run
// again since.
func TestRepairsNameCommandsOfSessions(t *testing.T) {
	const frame = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess "
	msgs := []string{chattest.Says(view.User, "Mend the oven of the bakery in the harbour.")}
	for i := range 12 {
		id := fmt.Sprint(70 + i)
		command := chattest.Object("cmd", fmt.Sprintf("make part%d %s", i%11, strings.Repeat(
			"again ", 20)))
		msgs = slices.Concat(msgs, chattest.Exchange("exec_command", command,
			frame+"running with session ID "+id+"\nOutput:\n"), chattest.Exchange("write_stdin",
			chattest.Object("session_id", id), frame+"exited with code 2\nOutput:\nFAIL"))
	}
	_, cp := foldsAt(t, settings.Policy{Target: 40, CheckCoverage: true}, msgs, len(msgs))
	text := checkpoint.Text(cp.Records)
	_, also, _ := strings.Cut(text, "\n## Also\n")
	if cp.Probe.Of != 12 || !strings.Contains(also, "- 42-44 exec_command(make part10 ") ||
		!strings.Contains(also, " → exit code 2\n") || strings.Contains(also, "write_stdin") {
		t.Errorf("%d things to be held:\n%s", cp.Probe.Of, text)
	}
}
