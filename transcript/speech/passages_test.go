package speech

import (
	"slices"
	"testing"

	"killick/internal/chattest"
	"killick/view"
)

// Documents divide what a person typed; what the client wrote does not.
func TestPassages(t *testing.T) {
	const doc = "<document index=\"1\">\nArticle 4\n</document>"
	for text, want := range map[string][]string{
		"What does it say?":                                        {"What does it say?"},
		doc + "\n\nWhat does it say?":                              {"", "What does it say?"},
		"Read this.\n" + doc + "\n" + doc:                          {"Read this.", ""},
		"[A]\n" + doc + "\n" + doc + "\n[/A] Since?":               {"[A]", "[/A] Since?"},
		"One <system-reminder>x</system-reminder> and two. " + doc: {"One  and two.", ""},
		doc: {"", ""},
		"":  {""},
	} {
		m := chattest.Message(t, chattest.Says(view.User, text))
		if got := Read(m, nil).Passages(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
