package compactor

import (
	"bytes"
	"sync"

	"killick/chat"
	"killick/compactor/checkpoint"
)

// mostForms bounds the stored bytes of the forms that are kept decoded.
const mostForms = 8 << 20

// forms keeps checkpoints decoded, so that a conversation whose form is known
// need not have it read at every turn. What it gives is shared: nobody writes to
// it. Past the bound others are forgotten, in random order. A nil forms keeps
// none.
type formCache struct {
	mu    sync.Mutex
	known map[string]form // by the name of the prefix
	held  int             // bytes
}

type form struct {
	value []byte // as it is stored
	cp    *checkpoint.Checkpoint
}

// decode is decodeCheckpoint for the prefix of a name. Only the very bytes that
// were decoded before give the same checkpoint again.
func (f *formCache) decode(name string, value []byte, covers int, msgs []chat.Message) (*checkpoint.Checkpoint, error) {
	if f == nil {
		return checkpoint.Decode(value, covers, msgs)
	}
	f.mu.Lock()
	known, ok := f.known[name]
	f.mu.Unlock()
	if ok && bytes.Equal(known.value, value) {
		return known.cp, nil
	}
	cp, err := checkpoint.Decode(value, covers, msgs)
	if err == nil {
		f.keep(name, form{value, cp})
	}
	return cp, err
}

func (f *formCache) keep(name string, one form) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(name)
	for other := range f.known {
		if f.held+len(one.value) <= mostForms {
			break
		}
		f.drop(other)
	}
	if f.held+len(one.value) > mostForms {
		return
	}
	if f.known == nil {
		f.known = map[string]form{}
	}
	f.known[name] = one
	f.held += len(one.value)
}

// drop forgets one form. The caller holds mu.
func (f *formCache) drop(name string) {
	f.held -= len(f.known[name].value)
	delete(f.known, name)
}

// forget drops all.
func (f *formCache) forget() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known, f.held = nil, 0
}
