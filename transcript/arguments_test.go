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
