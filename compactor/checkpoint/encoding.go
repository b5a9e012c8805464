package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"killick/chat"
)

// Version changes when a stored checkpoint would be read wrongly by
// newer code. Others are passed over: the store is a cache.
const Version = 2

// ErrUnreadable says that what is stored is no checkpoint of this version for this
// conversation. It is passed over: the store is a cache.
var ErrUnreadable = errors.New("unreadable checkpoint")

// Encode returns what is stored of cp.
func (cp *Checkpoint) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(cp); err != nil {
		return nil, fmt.Errorf("encoding a checkpoint: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads a stored checkpoint for a conversation. Whatever is
// stored, it gives a checkpoint that can be rendered over msgs, or an error.
func Decode(value []byte, covers int, msgs []chat.Message) (*Checkpoint, error) {
	var cp Checkpoint
	if err := json.Unmarshal(value, &cp); err != nil {
		// The cause may quote what is stored.
		return nil, fmt.Errorf("%w: not the JSON of a checkpoint", ErrUnreadable)
	}
	switch {
	case cp.Version != Version:
		return nil, fmt.Errorf("%w: version %d, want %d", ErrUnreadable, cp.Version, Version)
	case cp.Covers != covers || covers > len(msgs) || cp.Fold < 0 || cp.Fold > covers:
		return nil, fmt.Errorf("%w: it covers %d messages and folds %d, want at most %d",
			ErrUnreadable, cp.Covers, cp.Fold, covers)
	case cp.Fold > 0 && (cp.Summary == nil || len(cp.Records) == 0):
		return nil, fmt.Errorf("%w: it folds turns without a summary", ErrUnreadable)
	case len(cp.Folds) > 0 && !rising(cp.Folds, cp.Fold):
		return nil, fmt.Errorf("%w: its folds do not lead to the last", ErrUnreadable)
	case cp.Fold == 0 && len(cp.Records) > 0:
		return nil, fmt.Errorf("%w: a record that replaces nothing", ErrUnreadable)
	}
	for i := range cp.Records {
		r := &cp.Records[i]
		for _, raw := range [][]byte{r.Raw, r.plain().Raw} {
			if m, err := chat.ParseMessage(raw); err != nil || m.Role() != chat.User ||
				r.Tokens <= 0 ||
				r.ModelTokens < 0 {
				return nil, fmt.Errorf(
					"%w: its record %d is no counted user message",
					ErrUnreadable,
					i,
				)
			}
		}
	}
	if !keptFit(cp.Kept(), msgs[:cp.Fold]) {
		return nil, fmt.Errorf("%w: what it keeps does not fit the conversation", ErrUnreadable)
	}
	last := cp.Fold - 1
	for _, mk := range cp.Masks {
		if mk.Index <= last || mk.Index >= covers || !msgs[mk.Index].Role().Result() ||
			mk.Text == "" ||
			mk.Saved <= 0 {
			return nil, fmt.Errorf(
				"%w: a mask of message %d does not fit the conversation",
				ErrUnreadable,
				mk.Index,
			)
		}
		last = mk.Index
	}
	return &cp, nil
}

// keptFit reports whether kept names messages of the user's side in their order.
func keptFit(kept []Kept, folded []chat.Message) bool {
	last := -1
	for i := range kept {
		k := &kept[i]
		if k.Index <= last || k.Index >= len(folded) || folded[k.Index].Role() != chat.User ||
			k.Tokens <= 0 {
			return false
		}
		if k.Raw != nil {
			if m, err := chat.ParseMessage(k.Raw); err != nil || m.Role() != chat.User {
				return false
			}
		}
		last = k.Index
	}
	return true
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
