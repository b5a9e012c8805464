package replay

import (
	"fmt"
	"testing"
)

// The answer at 13 uses three references that its request contained: lib/old.go, 13 messages
// earlier; lib/new.go, one message earlier; oldName, 13 and also 3 messages earlier. lib/never.go
// did not occur before. The first message is replaced.
func TestRecallByHand(t *testing.T) {
	messages := []string{msg("user", "lib/old.go oldName")}
	for i := 1; i < 12; i += 2 {
		messages = append(messages, msg("assistant", fmt.Sprint("ok ", i)), msg("user", "go on"))
	}
	messages[10] = msg("user", "oldName again")
	messages[12] = msg("user", "lib/new.go")
	messages = append(messages,
		call("1", `{"path":"lib/old.go","text":"oldName lib/new.go lib/never.go lib/old.go"}`))
	f := measure(t, study(t, say{}, messages...), replacing(12, "lib/old.go oldName", "gone"))
	if want := (Recall{All: Kept{3, 2}, Old: Kept{1, 0}, Located: Kept{1, 0}}); f.Recall != want {
		t.Errorf("recall %+v, want %+v", f.Recall, want)
	}
	f = measure(t, study(t, say{}, messages...),
		replacing(12, "lib/old.go oldName", "dir/lib/old.go:7"))
	if want := (Recall{All: Kept{3, 3}, Old: Kept{1, 1}, Located: Kept{1, 0}}); f.Recall != want {
		t.Errorf("under another name: recall %+v, want %+v", f.Recall, want)
	}
	f = measure(t, study(t, say{}, messages...), replacing(12, "lib/old.go oldName", "lib/old.gox"))
	if want := (Kept{1, 0}); f.Recall.Old != want {
		t.Errorf("within a longer name: recall %+v, want %+v", f.Recall.Old, want)
	}
}

// An old name is located beside its file or call, or beside the same words as before, but not in a
// list. In the history an escape precedes it.
func TestLocatedRecall(t *testing.T) {
	messages := []string{
		msg("user", "do it"),
		call("1", `{"path":"lib/old.go"}`),
		result("1", `10 the log reads \"\tlogContext := withRetries(ctx)\" in there`),
	}
	for range 6 {
		messages = append(messages, msg("assistant", "ok"), msg("user", "go on"))
	}
	messages = append(messages, call("2", `{"pattern":"logContext"}`))
	for text, want := range map[string]int{
		"names: logContext withRetries lib/old.go":   0,
		"- 3 said: otherName logContext withRetries": 0,
		"logContext":             0,
		"lib/new.go: logContext": 0,
		"- 2 edit(lib/old.go): otherName logContext":  1,
		"- last call: 2 edit(lib/old.go) logContext":  1,
		"…/lib/old.go: logContext":                    1,
		"`lib/old.go:3`: logContext":                  1,
		"3→the log reads logContext":                  0,
		"3→logContext := withRetries(ctx) and so on":  1,
		"- \"logContext  :=  withRetries(ctx) in […]": 1,
	} {
		s := study(t, say{}, messages...)
		var got Kept
		for _, turn := range s.turns {
			for _, id := range turn.decoded {
				got.count(s.finder.References[id] == "logContext")
			}
		}
		if got != (Kept{1, 1}) {
			t.Fatalf("old names used, decoded: %+v", got)
		}
		if got := s.places.locates(text, "logContext"); got != (want == 1) {
			t.Errorf("%q: located %t", text, got)
		}
	}
	// The forwarded name is first in a list, then beside its file.
	for with, kept := range map[string]int{"otherName logContext": 0, "lib/old.go: logContext": 1} {
		f := measure(t, study(t, say{}, messages...),
			replacing(3, "do it", with, "logContext", "x"))
		if want := (Kept{1, kept}); f.Recall.Located != want {
			t.Errorf("%q: located recall %+v, want %+v", with, f.Recall.Located, want)
		}
	}
}

// A name is located beside a file that only a command names.
func TestNamesBesideFilesOfCommands(t *testing.T) {
	s := study(t, say{}, msg("user", "do it"), call("1", `{"command":"sed -n 1,9p lib/old.go"}`),
		call("2", `{"path":"lib/"}`), result("1", "10 the log reads logContext"),
		result("2", "old.go"))
	for line, want := range map[string]bool{
		"- lib/old.go (2): logContext": true,
		"- lib/new.go (2): logContext": false,
		"... and so on: logContext":    false, // the base name of lib/ is empty
		"other/: logContext":           false,
	} {
		if got := s.places.locates(line, "logContext"); got != want {
			t.Errorf("%q: located %t, want %t", line, got, want)
		}
	}
}
