package prepare

import (
	"encoding/json"
	"fmt"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/summary"
)

// stored is what a model wrote about turns that are still sent whole, and what was
// verified of it.
type stored struct {
	Version    int                    `json:"v"`
	Covers     int                    `json:"covers"` // messages that it is about
	At         int                    `json:"at"`     // length of the conversation when it was made
	Base       checkpoint.Base        `json:"base"`
	Form       string                 `json:"form"` // how it was got
	Statements []summary.Statement    `json:"statements"`
	Probe      *compaction.ModelProbe `json:"probe"`

	// Provider is what the provider's API wrote, in the place of statements, and at which upstream.
	Provider []byte `json:"provider,omitempty"`
	Origin   string `json:"origin,omitempty"`
}

// storedVersion changes when what is stored would be read wrongly by newer code.
const storedVersion = 3

// Bounds of a model's statements in a record.
const (
	maxStatements     = 60
	maxStatementBytes = 8000 // of one: its text and its quote have up to 500 characters each
)

// decodeStored reads what was prepared for so many messages. Its errors quote nothing.
func decodeStored(value []byte, covers int) (*stored, error) {
	var s stored
	if json.Unmarshal(value, &s) != nil || s.Version != storedVersion || s.Covers != covers ||
		!s.valid() {
		return nil, fmt.Errorf("%w: not what was prepared for %d messages",
			checkpoint.ErrUnreadable, covers)
	}
	return &s, nil
}

// valid reports whether there is something of one kind.
func (s *stored) valid() bool {
	if s.Provider != nil {
		return s.Probe == nil && len(s.Statements) == 0
	}
	return s.Probe != nil && validStatements(s.Statements)
}

// validStatements reports whether stored statements may be in a record.
func validStatements(list []summary.Statement) bool {
	if len(list) == 0 || len(list) > maxStatements {
		return false
	}
	for i := range list {
		s := &list[i]
		if s.Text == "" || len(s.Text)+len(s.Quote)+len(s.Section) > maxStatementBytes {
			return false
		}
	}
	return true
}
