package prepare

import (
	"encoding/json"
	"fmt"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/summary"
)

// stored holds the verified statements, or the provider's summary, about turns that are not folded
// yet.
type stored struct {
	Version    int                    `json:"v"`
	Covers     int                    `json:"covers"` // it is about this many first messages
	At         int                    `json:"at"`     // length of the conversation at that time
	Base       checkpoint.Base        `json:"base"`   // the form of the conversation at that time
	Form       string                 `json:"form"`   // as in Report
	Statements []summary.Statement    `json:"statements"`
	Probe      *compaction.ModelProbe `json:"probe"`
	// TakenBack are the indexes of the statements of that form that no longer hold.
	TakenBack []int `json:"taken_back,omitempty"`

	// Provider is the provider's summary, instead of statements, and Origin the upstream that
	// wrote it.
	Provider []byte `json:"provider,omitempty"`
	Origin   string `json:"origin,omitempty"`
}

// storedVersion changes if newer code would misread what is stored.
const storedVersion = 4

// Limits of a model's statements in a record.
const (
	maxStatements     = 60
	maxStatementBytes = 8000 // of one: its text and its quote have up to 500 characters each
)

// decodeStored decodes what was prepared about the first covers messages. Its errors quote nothing.
func decodeStored(value []byte, covers int) (*stored, error) {
	var s stored
	if json.Unmarshal(value, &s) != nil || s.Version != storedVersion || s.Covers != covers ||
		!s.valid() {
		return nil, fmt.Errorf("%w: not what was prepared for %d messages",
			checkpoint.ErrUnreadable, covers)
	}
	return &s, nil
}

// valid reports whether there are either statements or a provider's summary.
func (s *stored) valid() bool {
	if s.Provider != nil {
		return s.Probe == nil && len(s.Statements) == 0
	}
	return s.Probe != nil && validStatements(s.Statements)
}

// validStatements reports whether a record may contain the statements.
func validStatements(list []summary.Statement) bool {
	if len(list) == 0 || len(list) > maxStatements {
		return false
	}
	for i := range list {
		s := &list[i]
		size := len(s.Text) + len(s.Quote) + len(s.Section) + len(s.Writer)
		if s.Text == "" || size > maxStatementBytes {
			return false
		}
	}
	return true
}
