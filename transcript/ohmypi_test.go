package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"killick/internal/cputime"
)

// oh-my-pi has the model say in "i" what a call is for, and names lines in paths.
func TestOhMyPi(t *testing.T) {
	run := func(why, result string) Call {
		return calling(t, "bash", `{"i":"`+why+`","command":"make test"}`, result)
	}
	const end = "\n\nWall time: 1.50 seconds"
	failed := run("Run the tests", "FAIL a\n"+end+"\n\nCommand exited with code 3")
	if failed.Exit != 3 || failed.Status != Failed {
		t.Errorf("exit %d, status %d; want 3, failed", failed.Exit, failed.Status)
	}
	if Open([]Call{failed, run("Run them again", "ok\n"+end)})[0] {
		t.Error("a command that was run again for another reason counts as not run again")
	}
	for path, ranged := range map[string]bool{"src/a.go:5-16,60": true, "src/a.go:50+150": true,
		"src/a.go:50": true, "src/a.go": false, "src/a.go:raw": false} {
		c := calling(t, "read", `{"i":"Look","path":"`+path+`"}`, "")
		other := calling(t, "read", `{"path":"`+path+`"}`, "")
		if c.Ranged() != ranged || other.Ranged() {
			t.Errorf("%s: ranged %v, of another agent %v; want %v, false", path, c.Ranged(),
				other.Ranged(), ranged)
		}
	}
}

// Its edits are patches of a form of its own. What its result does not confirm is not known.
func TestEditsOfOhMyPi(t *testing.T) {
	const patch = `*** Begin Patch\n[a.go#9459]\nPUT 1.=1:\n+package a\n+[c.go#0000]\n`
	for name, tc := range map[string]struct{ patch, result, want string }{
		"done": {patch, "[a.go#44DD]\n1:package a", "[{a.go 2 }] 1 [{a.go}]"},
		"rejected": {patch, "Edit rejected for a.go: hash #0000 is not from this session.",
			"[{a.go 2 }] 2 []"},
		"unknown": {patch, "Done.", "[{a.go 2 }] 0? [{a.go}]"},
		"two files": {patch + `[b.go#0123]\nREM\n`, "[a.go#44DD]\n1:package a\n\nDeleted b.go",
			"[{a.go 2 } {b.go 3 delete}] 1 [{b.go!} {a.go}]"},
		"one of two": {patch + `[b.go#0123]\nREM\n`, "[a.go#44DD]\n1:package a",
			"[{a.go 2 } {b.go 3 delete}] 0? [{a.go}]"},
		"moved": {patch + `MV b.go\n`, "[b.go#44DD]\n1:package a",
			"[{a.go 3 move} {b.go 2 move}] 0? []"},
	} {
		c := calling(t, "edit", `{"i":"Edit","input":"`+tc.patch+`*** End Patch\n"}`, tc.result)
		got := fmt.Sprint(c.Paths, " ", c.Status)
		if c.Status == Unknown && c.MayHaveFailed() {
			got += "?"
		}
		got += " ["
		for i, change := range c.Changes() {
			if i > 0 {
				got += " "
			}
			got += "{" + change.Path
			if change.Sure {
				got += "!"
			}
			got += "}"
		}
		if got += "]"; got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	c := calling(t, "edit", `{"input":"`+patch+`"}`, "[a.go#44DD]")
	if len(c.Paths) > 0 {
		t.Errorf("a patch of another agent names %v", c.Paths)
	}
}

// The result of an edit of many files is read in linear time.
func TestEditsOfManyFiles(t *testing.T) {
	const n = 100_000
	var patch, result strings.Builder
	for i := range n {
		fmt.Fprintf(&patch, `[%d.go#9459]\nREM\n`, i)
		fmt.Fprintf(&result, "Deleted %d.go\n", n-1-i)
	}
	start := cputime.Used()
	c := calling(t, "edit", `{"i":"Tidy","input":"*** Begin Patch\n`+patch.String()+`"}`,
		result.String())
	if took := cputime.Used() - start; c.Status != OK || len(c.Paths) != n || took > 5*time.Second {
		t.Errorf("status %d of %d files took %v", c.Status, len(c.Paths), took)
	}
}
