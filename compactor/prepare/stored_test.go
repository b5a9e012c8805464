package prepare

import (
	"encoding/json"
	"strings"
	"testing"

	"killick/compaction"
	"killick/internal/chattest"
	"killick/probe"
	"killick/view"
)

// A grounded statement of the maximum length can be stored and read back: in some scripts a
// character has four bytes.
func TestTheLongestStatementsAreReadBack(t *testing.T) {
	text := strings.Repeat("𠮷野家表", probe.MaxText/4)
	body := chattest.Body([]string{chattest.Says(view.User, text)})
	index := probe.NewIndex(chattest.Request(t, body).Messages(), 1)
	kept, dropped := index.Ground([]probe.Statement{
		{Section: "completed", Text: text, Quote: text,
			Messages: []int{1}},
	})
	if len(kept) != 1 {
		t.Fatalf("dropped: %v", dropped[0].Reason)
	}
	value, err := json.Marshal(&stored{Version: storedVersion, Covers: 1,
		Statements: statements(kept, nil), Probe: &compaction.ModelProbe{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeStored(value, 1); err != nil {
		t.Error(err)
	}
}
