package transcript

import (
	"strings"
	"testing"
)

// A long key is not repeated for each value below it, which would take a thousand times the memory
// of the call.
func TestLongKey(t *testing.T) {
	long := strings.Repeat("é", 1<<16)
	args := readArguments(`{"` + long + `":[` + strings.Repeat("1,", 999) + `1],"a":{"b":"x"}}`)
	bytes := 0
	for i := range args {
		bytes += len(args[i].Key)
	}
	if len(args) != maxArguments || bytes > maxArguments*maxKey {
		t.Errorf("%d arguments with keys of %d bytes", len(args), bytes)
	}
	if key := args[0].Key; !strings.HasPrefix(long, key) || len(key) != maxKey {
		t.Errorf("the key is %q, want the first %d bytes", key, maxKey)
	}
	if args := readArguments(`{"edits":[{"old":"x"}]}`); args[0].Key != "edits.0.old" {
		t.Errorf("the key is %q", args[0].Key)
	}
}

// Why a command is run does not change which command it is, and one that Droid starts and leaves
// may go on.
func TestDroidsArguments(t *testing.T) {
	call := func(arguments string) Call { return calling(t, "Execute", arguments, "x") }
	first := call(`{"command":"rm a","riskLevelReason":"It deletes a.","riskLevel":"high"}`)
	again := call(`{"command":"rm a","riskLevelReason":"One file goes.","riskLevel":"medium"}`)
	if first.Key() != again.Key() || len(first.Beside()) > 0 {
		t.Errorf("%q and %q are not the same call", first.Key(), again.Key())
	}
	left := call(`{"command":"rm a","riskLevel":"low","fireAndForget":true}`)
	if first.unfinished || !left.unfinished {
		t.Errorf("unfinished: %t, %t; want only the second", first.unfinished, left.unfinished)
	}
}
