package checkpoint

import (
	"errors"
	"fmt"
	"slices"

	"killick/compaction"
	"killick/internal/packed"
	"killick/summary"
	"killick/summary/names"
	"killick/summary/workset"
)

// RendererVersion changes when the same conversation would be rendered to other
// bytes. Checkpoints of different versions are stored apart.
const RendererVersion = "30"

// Checkpoint is one compaction of a conversation, immutable once stored. It represents the prefix
// of Covers messages and follows from these alone. At only says which decisions need not be made
// again.
//
// Its fields are what every turn needs. What only the next fold, a renewal and a report need is
// decoded at each call (Summary, Names, Folds), so that a checkpoint may be shared by its readers.
type Checkpoint struct {
	Covers  int      // messages of the prefix that it represents
	Fold    int      // how many of them the records replace
	At      int      // length of the conversation when it was made
	NextAt  int      // size in tokens that the request must exceed before the next form is tried
	Before  int      // tokens of the request before it was compacted
	After   int      // tokens of the request after it was compacted
	Made    int64    // when it was made, in seconds since 1970; nothing depends on it
	Masks   []Mask   // of messages after Fold, in order
	Records []Record // in place of the folded messages, in order
	Working Working  // is sent after the records, until the next fold
	// Provider is the provider's own summary of the folded turns, in addition to the records; nil
	// if there is none.
	Provider *ProviderSummary
	Probe    *compaction.Probe
	Dropped  []compaction.Dropped // everything that is no longer sent, by kind
	Written  string               // how a model's text in it was obtained; "" if it has none

	details details
}

// ErrUnreadable is the error if a stored value is not a checkpoint of this version for this
// conversation. Such a value is ignored: the store is a cache.
var ErrUnreadable = errors.New("unreadable checkpoint")

// Details are needed only by the next fold, a renewal and a report.
type Details struct {
	Folds   []int            // where each fold ended, in order; the last is Fold
	Summary *summary.Summary // of all folded turns
	// Names has the candidates for the index of the next record; nil if there are none.
	Names *names.Table
	// Blocks has the candidates for the working set of the next form; nil if there are none.
	Blocks *workset.Pool
}

// details are Details as they were made, or in stored form.
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

// Details decodes and returns the details.
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

// Summary returns the summary of all folded turns, nil if there are none. It must not be changed.
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
	if !strictlyIncreasing(folds, cp.Fold) {
		return nil, fmt.Errorf("%w: its folds do not lead to the last", ErrUnreadable)
	}
	return folds, nil
}

// strictlyIncreasing reports whether folds increase strictly from above 0 to last.
func strictlyIncreasing(folds []int, last int) bool {
	before := 0
	for _, to := range folds {
		if to <= before {
			return false
		}
		before = to
	}
	return before == last
}

// Names returns the table of names, nil if there is none.
func (cp *Checkpoint) Names() *names.Table {
	if cp.details.names == nil {
		return cp.details.made.Names
	}
	return names.Decode(cp.details.names)
}

// blocks returns the pool that working sets are chosen from, nil if there is none.
func (cp *Checkpoint) blocks() *workset.Pool {
	if cp.details.blocks == nil {
		return cp.details.made.Blocks
	}
	return workset.DecodePool(cp.details.blocks)
}

// Plain returns cp without the text of models, in records that have such a form.
func (cp *Checkpoint) Plain() *Checkpoint {
	p := *cp
	p.Records = slices.Clone(cp.Records)
	for i := range p.Records {
		p.Records[i] = p.Records[i].plain()
	}
	return &p
}

// Kept returns the messages of the folded turns that are sent beside the records, in order.
func (cp *Checkpoint) Kept() (all []Kept) { return cp.KeptWith(nil) }

// KeptWith is Kept with the kept messages of a record that is not added yet.
func (cp *Checkpoint) KeptWith(more []Kept) (all []Kept) {
	for i := range cp.Records {
		all = append(all, cp.Records[i].Kept...)
	}
	return append(all, more...)
}

// allRecords returns the records with the working set as one more, if there is one.
func (cp *Checkpoint) allRecords() []Record {
	if cp.Working.Raw == nil {
		return cp.Records
	}
	return append(slices.Clip(cp.Records), Record{Raw: cp.Working.Raw, Tokens: cp.Working.Tokens})
}

// Base identifies the form that another form was prepared for. It is valid only for that form.
type Base struct {
	Covers int `json:"covers"`
	Fold   int `json:"fold"`
	At     int `json:"at"`
	After  int `json:"after"`
}

// BaseOf returns the Base for what is prepared for cp, which is nil if there is no form.
func BaseOf(cp *Checkpoint) Base {
	if cp == nil {
		return Base{}
	}
	return Base{Covers: cp.Covers, Fold: cp.Fold, At: cp.At, After: cp.After}
}
