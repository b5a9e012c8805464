package transcript

import (
	"slices"
	"testing"

	"killick/internal/chattest"
	"killick/reference"
	"killick/view"
)

// What was noted stands for the whole text of a message, and for no other text that is read of it.
func TestNotedReferences(t *testing.T) {
	const text = "see src/main.go and maxItems"
	tr := ReadAll([]view.Message{*chattest.Message(t, chattest.Says(view.User, text))})
	read := func(text string) (words []string) {
		tr.EachReference(0, text, func(word string, _ reference.Kind) {
			words = append(words, word)
		})
		return words
	}
	if got, want := read(text), []string{"src/main.go", "maxItems"}; !slices.Equal(got, want) {
		t.Errorf("not noted: got %q, want %q", got, want)
	}
	tr.NoteReferences(0, []reference.Found{{Word: "noted", Kind: reference.Symbol}})
	if got, want := read(text), []string{"noted"}; !slices.Equal(got, want) {
		t.Errorf("noted: got %q, want %q", got, want)
	}
	if got, want := read(text[:15]), []string{"src/main.go"}; !slices.Equal(got, want) {
		t.Errorf("a part of the text: got %q, want %q", got, want)
	}
}
