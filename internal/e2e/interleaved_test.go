package e2e

import (
	"encoding/json"
	"testing"

	"killick/internal/fakeupstream"
	"killick/internal/recorded"
)

// The fixture written for what real conversations rarely have: instructions in
// the middle, parallel calls answered out of order, images, legacy calls, every
// shape of content.
func TestInterleavedConversation(t *testing.T) {
	whole := recorded.Conversation{ID: "interleaved"}
	if err := json.Unmarshal(fakeupstream.Interleaved(), &whole); err != nil {
		t.Fatal(err)
	}
	got := replayTurns(t, &whole, 2000, 1000)
	if want := max(1, 5/raceSample); got.changed < want {
		t.Errorf("%d turns were compacted, want at least %d", got.changed, want)
	}
	t.Logf("%+v", got)
}
