package layout

import (
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/chattest"
)

func TestMarksAreRemembered(t *testing.T) {
	known := NewMemo[chat.Fingerprint, bool](2)
	long := chattest.Message(t, `{"role":"user","content":"`+strings.Repeat("x", leastToCheck)+`","cache_control":{}}`)
	plain := chattest.Message(t, `{"role":"user","content":"`+strings.Repeat("x", leastToCheck)+`"}`)
	other := chattest.Message(t, `{"role":"user","content":"`+strings.Repeat("y", leastToCheck)+`"}`)
	for range 2 {
		if !MayHoldMark(long, known) || MayHoldMark(plain, known) || MayHoldMark(other, known) {
			t.Fatal("it takes one for the other")
		}
	}
	if len(known.known) != 2 {
		t.Errorf("%d messages are remembered, want as many as there is room for: 2", len(known.known))
	}
}
