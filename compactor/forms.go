package compactor

import (
	"bytes"

	"killick/compactor/checkpoint"
)

// form is the form of a conversation as it is stored, and decoded. It is remembered with
// the conversation, so that it need not be decoded at every turn. It is shared: nobody
// writes to it.
type form struct {
	value []byte
	cp    *checkpoint.Checkpoint
}

// formKey is where it is kept in a chat.Memory.
type formKey struct{}

// decode is [checkpoint.Decode] by way of the memory. Only the very bytes that were decoded
// before give the same checkpoint again.
func (w *run) decode(value []byte, covers int) (*checkpoint.Checkpoint, error) {
	memory := w.v.Request.Memory()
	kept, n := memory.Load(formKey{})
	if known, ok := kept.(form); ok && n >= covers && known.cp.Covers == covers &&
		bytes.Equal(known.value, value) {
		return known.cp, nil
	}
	cp, err := checkpoint.Decode(value, covers, w.v.Messages)
	if err == nil && w.engine.writing == nil { // what is prepared holds on to a form
		// Its slices are of the value, which the store's memory counts; beside them are objects.
		memory.Store(formKey{}, form{value, cp}, len(w.v.Messages), int64(len(value)))
	}
	return cp, err
}
