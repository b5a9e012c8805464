package truncate

import (
	"testing"

	"killick/chat"
)

// A cache breakpoint that moves from the newest output to the next must not make
// one of them another.
func TestARepeatIsOneWhateverIsMarked(t *testing.T) {
	plain, err := chat.ParseMessage([]byte(`{"role":"tool","content":[{"type":"text","text":"said"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	marked, err := chat.ParseMessage([]byte(`{"role":"tool","content":[{"type":"text","cache_control":{"type":"ephemeral"},"text":"said"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if textOutput(&plain) != textOutput(&marked) {
		t.Error("the mark is taken for something that was said")
	}
}
