package checkpoint

import (
	"fmt"
	"slices"

	"killick/compaction"
	"killick/internal/packed"
	"killick/summary"
	"killick/summary/workset"
)

// RendererVersion changes when the same conversation would be rendered to other
// bytes. It is part of what checkpoints are kept apart by.
const RendererVersion = "10"

// Checkpoint is one compaction of a conversation, immutable once stored. It stands for
// the prefix of Covers messages and follows from those alone; where it was decided only
// says what need not be decided again.
//
// Its fields are what every turn needs. What only the next fold, a renewal and a report need is
// decoded when it is asked for (Summary, Names, Folds), every time again: so a checkpoint may be
// shared by whoever reads it.
type Checkpoint struct {
	Covers  int // messages of the prefix that it stands for
	Fold    int // how many of them the records replace
	At      int // length of the conversation when it was made
	NextAt  int // size that the request must exceed before the next is tried, in tokens
	Before  int // tokens of the request when it was made, and after
	After   int
	Made    int64    // when, in seconds since 1970; nothing depends on it
	Masks   []Mask   // of messages after Fold, in order
	Records []Record // in place of the folded messages, in order
	Working Working  // what is shown after the records, until the next fold
	// Provider is the provider's own summary of the folded turns, beside all else; nil if there is
	// none.
	Provider *ProviderSummary
	Probe    *compaction.Probe
	Dropped  []compaction.Dropped // all that is no longer sent, by kind
	Written  string               // how what a model wrote for this form was got; "" if none did

	details details
}

// Details are what only the next fold, a renewal and a report need.
type Details struct {
	Folds   []int            // where each fold ended, in order; the last is Fold
	Summary *summary.Summary // of all folded turns
	// Names is what the index of the next record is chosen from; nil where there is none.
	Names *summary.NameTable
	// Blocks is what the working set of the next form is chosen from; nil where there is none.
	Blocks *workset.Pool
}

// details are Details as they were made, or as they are stored.
type details struct {
	made                          Details
	folds, summary, names, blocks []byte // if not nil, the stored form
}

// WithDetails returns a copy of cp with other details.
func (cp *Checkpoint) WithDetails(d Details) *Checkpoint {
	other := *cp
	other.details = details{made: d}
	return &other
}

// Details returns all that is decoded when it is asked for.
func (cp *Checkpoint) Details() (d Details, err error) {
	if d.Folds, err = cp.Folds(); err != nil {
		return Details{}, err
	}
	if d.Summary, err = cp.Summary(); err != nil {
		return Details{}, err
	}
	d.Names, d.Blocks = cp.Names(), cp.blocks()
	return d, nil
}

// Summary returns that of all folded turns, nil where none are. Nobody may change it.
func (cp *Checkpoint) Summary() (*summary.Summary, error) {
	if cp.details.summary == nil {
		return cp.details.made.Summary, nil
	}
	s := &summary.Summary{}
	if err := s.UnmarshalBinary(cp.details.summary); err != nil {
		return nil, fmt.Errorf("%w: its summary: %w", ErrUnreadable, err)
	}
	return s, nil
}

// Folds returns where each fold ended, in order. The last is Fold.
func (cp *Checkpoint) Folds() ([]int, error) {
	if cp.details.folds == nil {
		return cp.details.made.Folds, nil
	}
	r := packed.NewReader(cp.details.folds)
	folds := packed.List(r, (*packed.Reader).Int)
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("%w: its folds: %w", ErrUnreadable, err)
	}
	if len(folds) > 0 && !rising(folds, cp.Fold) {
		return nil, fmt.Errorf("%w: its folds do not lead to the last", ErrUnreadable)
	}
	return folds, nil
}

// rising reports whether folds rise from above 0 to last.
func rising(folds []int, last int) bool {
	before := 0
	for _, to := range folds {
		if to <= before {
			return false
		}
		before = to
	}
	return before == last
}

// Names returns the table of names, nil where there is none.
func (cp *Checkpoint) Names() *summary.NameTable {
	if cp.details.names == nil {
		return cp.details.made.Names
	}
	return summary.DecodeNames(cp.details.names)
}

// blocks returns what working sets are chosen from, nil where there is nothing.
func (cp *Checkpoint) blocks() *workset.Pool {
	if cp.details.blocks == nil {
		return cp.details.made.Blocks
	}
	return workset.DecodePool(cp.details.blocks)
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
