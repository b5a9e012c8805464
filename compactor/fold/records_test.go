package fold

import (
	"fmt"
	"testing"

	"killick/internal/chattest"
	"killick/summary"
	"killick/view"
)

// Of the records that a client sends, the newest stay.
func TestTheNewestRecordsAreKept(t *testing.T) {
	msgs := []string{chattest.Says(view.User, "Mend the oven.")}
	for i := range maxRecords + 20 {
		msgs = append(msgs, chattest.Says(view.Assistant, "Noted."), chattest.Says(view.User,
			fmt.Sprintf("%s messages 1 to %d were replaced]\n\n## Files\n- read: a%d.go",
				summary.Mark, i, i)))
	}
	msgs = chattest.Follow(msgs, 3)
	_, cp := foldsAt(t, cramped, msgs, len(msgs))
	records := 0
	for _, k := range cp.Kept() {
		if k.Client {
			records++
			if k.Index <= 2*20 {
				t.Errorf("message %d is kept, which is not of the newest %d", k.Index, maxRecords)
			}
		}
	}
	if records != maxRecords {
		t.Errorf("%d records are kept, want %d", records, maxRecords)
	}
}
