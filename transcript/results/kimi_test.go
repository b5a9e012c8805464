package results_test

import "testing"

// Kimi Code puts the time before what a call printed, and a line about them after the lines of a
// file.
func TestKimiCode(t *testing.T) {
	const (
		status = "<system>2 lines read from file starting from line 8. Total lines in file: 9. " +
			"Requested range complete. Effective max_chars: 100000. End of file reached.</system>"
		part = "<system>1 line read from file starting from line 8. Total lines in file: 9. " +
			"Character limit reached. Effective max_chars: 9. Line 8 fragment: columns [0, 4) of " +
			"12. Line continues.</system>"
		read = `{"path":"/w/a.go","line_offset":8,"n_lines":2}`
		ls   = `{"command":"ls"}`

		timed  = "Wall time: 0.120 seconds"
		goesOn = timed + "\ntask_id: bash-1\npid: 7\nstatus: running\na"
		own    = "8\ta\n9\t<system>b</system>"
	)
	for name, c := range map[string]struct{ tool, arguments, result, output string }{
		"a command":        {"Bash", ls, "Wall time: 0.120 seconds\na\nb\n", "a\nb\n"},
		"nothing":          {"Bash", ls, "Wall time: 0.120 seconds\n", ""},
		"it runs on":       {"Bash", ls, goesOn, ""},
		"a list of tasks":  {"Bash", ls, timed + "\ntask_id: bash-1\na", "task_id: bash-1\na"},
		"a search":         {"Grep", `{"pattern":"a"}`, "Wall time: 12.000 seconds\na", "a"},
		"a server":         {"mcp__s__t", `{"a":1}`, "Wall time: 0.001 seconds\na", "a"},
		"another time":     {"Bash", ls, "Wall time: 0.1 seconds\na", "Wall time: 0.1 seconds\na"},
		"another place":    {"Bash", ls, "a\n" + timed, "a\n" + timed},
		"another agent":    {"exec", ls, timed + "\na", timed + "\na"},
		"a file":           {"Read", read, "8\ta\n9\tb\n" + status, "8\ta\n9\tb\n"},
		"a part of a line": {"Read", read, "8\tabcd\n" + part, ""},
		"a file like that": {"Read", read, own, own},
	} {
		if got := outputOf(t, c.tool, c.arguments, c.result); got != c.output {
			t.Errorf("%s: %q, want %q", name, got, c.output)
		}
	}
	call := calling(t, "Read", read, "8\ta\n9\tb\n"+status)
	if s := call.Shows(); !call.Ranged() || !s.Part || s.First != 8 {
		t.Errorf("ranged %t, %+v; want a part from line 8", call.Ranged(), s)
	}
	for result, want := range map[string]bool{
		goesOn: true, timed + "\na": false} {
		if c := calling(t, "Bash", ls, result); c.InBackground() != want {
			t.Errorf("%q: in the background %t, want %t", result, c.InBackground(), want)
		}
	}
	end := calling(t, "Read", `{"path":"/w/a.go","line_offset":-2}`, "x")
	if s := end.Shows(); s.First != 0 {
		t.Errorf("the last lines begin with number %d, want it unknown", s.First)
	}
}
