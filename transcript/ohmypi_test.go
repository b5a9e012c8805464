package transcript

import "testing"

// oh-my-pi has the model say in "i" what a command is for.
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
}
