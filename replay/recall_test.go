package replay

import (
	"fmt"
	"slices"
	"testing"
)

func TestReferences(t *testing.T) {
	for text, want := range map[string][]string{
		"see ./cmd/proxy/main.go:12:3, please":        {"cmd/proxy/main.go"},
		"/Users/ann/src/x.py and ~/notes.md":          {"Users/ann/src/x.py", "notes.md"},
		"GET https://api.example.com/v1/x?id=7&b=%20": {"https://api.example.com/v1/x?id=7&b=%20"},
		"read/write and/or more":                      nil,
		"call parseMessage(old_string, httpServer)":   {"parseMessage", "old_string", "httpServer"},
		"Commit 49f60d05 on 2026-02-06, ENT-221":      {"49f60d05", "2026-02-06", "ENT-221"},
		"port 8080, order 1234567":                    {"1234567"},
		"A Sentence. With Words, e.g. none":           nil,
		"@scope/pkg-name v1.2.3":                      {"v1.2.3"},
		"README.md.":                                  {"README.md"},
		"Größe_x":                                     nil,
		"":                                            nil,
	} {
		var got []string
		eachReference(text, func(word string) { got = append(got, word) })
		if !slices.Equal(got, want) {
			t.Errorf("%q holds %q, want %q", text, got, want)
		}
	}
}

// The answer at 13 uses three references that its request held: lib/old.go, 13 messages back;
// lib/new.go, one back; oldName, 13 back in the first place, but 3 back since. lib/never.go did not
// occur before. The first message is cut.
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
	if want := (Recall{All: Kept{3, 2}, Old: Kept{1, 0}}); f.Recall != want {
		t.Errorf("recall %+v, want %+v", f.Recall, want)
	}
	f = measure(t, study(t, say{}, messages...),
		replacing(12, "lib/old.go oldName", "dir/lib/old.go:7"))
	if want := (Recall{All: Kept{3, 3}, Old: Kept{1, 1}}); f.Recall != want {
		t.Errorf("under another name: recall %+v, want %+v", f.Recall, want)
	}
	f = measure(t, study(t, say{}, messages...), replacing(12, "lib/old.go oldName", "lib/old.gox"))
	if want := (Kept{1, 0}); f.Recall.Old != want {
		t.Errorf("within a longer name: recall %+v, want %+v", f.Recall.Old, want)
	}
}
