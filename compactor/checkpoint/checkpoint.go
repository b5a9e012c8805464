package checkpoint

import (
	"encoding/json"
	"slices"

	"killick/compaction"
	"killick/summary"
)

// RendererVersion changes when the same conversation would be rendered to other
// bytes. It is part of what checkpoints are kept apart by.
const RendererVersion = "4"

// Checkpoint is one compaction of a conversation, immutable once stored. It stands for
// the prefix of Covers messages and follows from those alone; where it was decided only
// says what need not be decided again.
type Checkpoint struct {
	Version int `json:"v"`
	Covers  int `json:"covers"` // messages of the prefix that it stands for
	Fold    int `json:"fold"`   // how many of them the records replace
	At      int `json:"at"`     // length of the conversation when it was made
	// NextAt is the size that the request must exceed before the next is tried, in tokens.
	NextAt int `json:"next_at"`
	Before int `json:"before"` // tokens of the request when it was made, and after
	After  int `json:"after"`
	// Made is when, in seconds since 1970. Nothing depends on it.
	Made    int64    `json:"made,omitempty"`
	Masks   []Mask   `json:"masks,omitempty"`   // of messages behind Fold, in order
	Folds   []int    `json:"folds,omitempty"`   // where each fold ended, in order; the last is Fold
	Records []Record `json:"records,omitempty"` // in place of the folded messages, in order
	// Names is a summary.NameTable: what the index of the next record is chosen from. It
	// is decoded only then.
	Names   json.RawMessage      `json:"names,omitempty"`
	Summary *summary.Summary     `json:"summary,omitempty"` // of all folded turns
	Probe   *compaction.Probe    `json:"probe,omitempty"`
	Dropped []compaction.Dropped `json:"dropped,omitempty"` // all that is no longer sent, by kind
	// Written is how what a model wrote for this form was got; "" if none did.
	Written string `json:"written,omitempty"`
}

// Plain returns cp without what models wrote, where there is such a form.
func (cp *Checkpoint) Plain() *Checkpoint {
	p := *cp
	p.Records = slices.Clone(cp.Records)
	for i := range p.Records {
		p.Records[i] = p.Records[i].plain()
	}
	return &p
}

// Kept are the messages of the folded turns that are sent beside the records, in order.
func (cp *Checkpoint) Kept() (all []Kept) { return cp.KeptWith(nil) }

// KeptWith is Kept with those of a record that is still to come.
func (cp *Checkpoint) KeptWith(more []Kept) (all []Kept) {
	for i := range cp.Records {
		all = append(all, cp.Records[i].Kept...)
	}
	return append(all, more...)
}

// Base says which form another one was prepared upon. It fits that form alone.
type Base struct {
	Covers int `json:"covers"`
	Fold   int `json:"fold"`
	At     int `json:"at"`
	After  int `json:"after"`
}

// BaseOf is the Base for what is prepared upon cp, nil for no form.
func BaseOf(cp *Checkpoint) Base {
	if cp == nil {
		return Base{}
	}
	return Base{Covers: cp.Covers, Fold: cp.Fold, At: cp.At, After: cp.After}
}
