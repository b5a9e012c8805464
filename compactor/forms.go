package compactor

import (
	"bytes"

	"killick/compactor/checkpoint"
)

// form is the stored form of a conversation, with its decoded value. It is remembered with
// the conversation, so that it need not be decoded at every turn. It is shared and never
// changed.
type form struct {
	value []byte
	cp    *checkpoint.Checkpoint
}

// formKey is its key in a view.Memory.
type formKey struct{}

// decode is [checkpoint.Decode] with the memory as a cache. The cached checkpoint is returned only
// for the same bytes.
func (w *run) decode(value []byte, covers int) (*checkpoint.Checkpoint, error) {
	memory := w.v.Request.Memory()
	kept, n := memory.Load(formKey{})
	if known, ok := kept.(form); ok && n >= covers && known.cp.Covers == covers &&
		bytes.Equal(known.value, value) {
		return known.cp, nil
	}
	cp, err := checkpoint.Decode(value, covers, w.v.Messages)
	if err == nil && w.engine.writing == nil { // a preparation may keep the form for longer
		// Its slices are parts of the value, which the store's memory counts too.
		memory.Store(formKey{}, form{value, cp}, len(w.v.Messages), int64(len(value)))
	}
	return cp, err
}
