package layout

import (
	"bytes"

	"killick/chat"
)

var MarkName = []byte(`"cache_control"`)

// markMemo remembers which large messages hold a mark: looking for one in a
// megabyte takes as long as all else that a known conversation costs.
type MarkMemo = Memo[chat.Fingerprint, bool]

const (
	MostMarks    = 16384
	leastToCheck = 512 // bytes of a message that is worth remembering
)

// mayHoldMark reports whether a message may hold a mark: whether it has the name of one
// anywhere.
func MayHoldMark(m *chat.Message, known *MarkMemo) bool {
	if known == nil || len(m.Raw) < leastToCheck {
		return bytes.Contains(m.Raw, MarkName)
	}
	key := m.Fingerprint()
	found, ok := known.Get(key)
	if !ok {
		found = bytes.Contains(m.Raw, MarkName)
		known.Put(key, found)
	}
	return found
}

// NewMarkMemo returns an empty memo.
func NewMarkMemo() *MarkMemo { return NewMemo[chat.Fingerprint, bool](MostMarks) }
