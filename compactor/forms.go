package compactor

import (
	"bytes"
	"context"

	"killick/compactor/checkpoint"
)

// open finds the conversation in the stores, once, and records that it was seen.
func (w *run) open(ctx context.Context) {
	if w.conv == nil {
		who, memory := w.job.who, w.v.Request.Memory()
		w.conv = w.engine.store.Conversation(who, w.v.Messages, memory)
		w.cold = w.updateLastSeen(ctx)
		if w.engine.writing != nil {
			w.ready = w.engine.writing.Store.Conversation(who, w.v.Messages, memory)
		}
	}
}

// storedForm is the stored form of a conversation, with its decoded value. It is remembered with
// the conversation, so that it need not be decoded at every turn. It is shared and never
// changed.
type storedForm struct {
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
	if known, ok := kept.(storedForm); ok && n >= covers && known.cp.Covers == covers &&
		bytes.Equal(known.value, value) {
		return known.cp, nil
	}
	cp, err := checkpoint.Decode(value, covers, w.v.Messages)
	if err == nil && w.engine.writing == nil { // a preparation may keep the form for longer
		// Its slices are parts of the value, which the store's memory counts too.
		memory.Store(formKey{}, storedForm{value, cp}, len(w.v.Messages), int64(len(value)))
	}
	return cp, err
}

// longest looks up the longest stored prefix. It remembers the last result, because the store
// reports a renewal only once.
func (w *run) longest(ctx context.Context, most int) *found {
	if w.found == nil || w.found.most != most {
		f := found{most: most}
		f.value, f.covers, f.renewed, f.err = w.conv.Longest(ctx, most)
		w.found = &f
	}
	return w.found
}

// load returns the checkpoint of the longest known prefix that can be used, nil if there is none.
// A checkpoint that was made when the conversation was longer than this request is passed over, so
// that a turn that is sent again has the same bytes as before. So is one that is not usable.
func (w *run) load(ctx context.Context) *checkpoint.Checkpoint {
	for most := len(w.v.Messages); most >= 0; {
		found := w.longest(ctx, most)
		if found.err != nil {
			w.failOpen("store_read", found.err)
			return nil
		}
		if found.value == nil {
			return nil
		}
		cp, err := w.decode(found.value, found.covers)
		if err != nil {
			w.failOpen("checkpoint_unreadable", err)
			return nil
		}
		if cp.At <= len(w.v.Messages) && w.usable(cp) {
			if found.renewed {
				w.renewOriginals(ctx, cp)
			}
			return cp
		}
		most = found.covers - 1
	}
	return nil
}

// usable reports whether a form does not end within a group, as it does if the client has changed
// the messages after it, and whether no call that had no result when it was made has one now.
func (w *run) usable(cp *checkpoint.Checkpoint) bool {
	return w.v.MayCut(cp.Fold) && (cp.Provider == nil || w.v.MayCut(cp.Provider.Place)) &&
		!w.v.AnsweredLate(cp.At)
}

// put stores a form in place of the known one, which may be nil. It returns the stored form: if
// another request stored a form for the same prefix first, that one.
func (w *run) put(ctx context.Context, cp, known *checkpoint.Checkpoint) *checkpoint.Checkpoint {
	value, err := cp.Encode()
	if err != nil {
		w.failOpen("checkpoint_encoding", err)
		return cp
	}
	replaced := -1
	if known != nil {
		if replaced = known.Covers; replaced >= cp.Covers {
			return cp // forms are immutable
		}
	}
	winner, err := w.conv.Put(ctx, cp.Covers, replaced, value)
	if err != nil {
		w.failOpen("store_write", err)
		return cp
	}
	if bytes.Equal(winner, value) {
		return cp
	}
	first, err := checkpoint.Decode(winner, cp.Covers, w.v.Messages)
	if err != nil {
		w.failOpen("checkpoint_unreadable", err)
		return cp
	}
	if !w.usable(first) {
		return cp
	}
	return first
}
