package transcript

import "testing"

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
