package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/layout"
	"killick/summary"
)

// RendererVersion changes when the same conversation would be rendered to other
// bytes. It is part of what checkpoints are kept apart by.
const RendererVersion = "4"

// Version changes when a stored checkpoint would be read wrongly by
// newer code. Others are passed over: the store is a cache.
const Version = 2

// Checkpoint is one compaction of a conversation, immutable once stored. It
// stands for the prefix of Covers messages and is derived from those alone;
// where it was decided only says what need not be decided again.
type Checkpoint struct {
	Version int                  `json:"v"`
	Covers  int                  `json:"covers"`  // messages of the prefix that it stands for
	Fold    int                  `json:"fold"`    // how many of them the records replace
	At      int                  `json:"at"`      // length of the conversation when it was made
	NextAt  int                  `json:"next_at"` // tokens that the request must exceed before the next is tried
	Before  int                  `json:"before"`  // tokens of the request when it was made, and after
	After   int                  `json:"after"`
	Made    int64                `json:"made,omitempty"`    // when, in seconds since 1970: for whoever looks at it, nothing depends on it
	Masks   []Mask               `json:"masks,omitempty"`   // of messages behind Fold, in order
	Folds   []int                `json:"folds,omitempty"`   // where each fold ended, in order; the last is Fold
	Records []Record             `json:"records,omitempty"` // in place of the folded messages, in order
	Names   json.RawMessage      `json:"names,omitempty"`   // a summary.NameTable: what the index of the next record is chosen from; read only then
	Summary *summary.Summary     `json:"summary,omitempty"` // of all folded turns
	Probe   *compaction.Probe    `json:"probe,omitempty"`
	Dropped []compaction.Dropped `json:"dropped,omitempty"` // all that is no longer sent, by kind
	Written string               `json:"written,omitempty"` // how what a model wrote for this form was got; "" if none did
}

// Record is a message of ours, as it is sent, with the messages of the turns that
// it replaces which are sent before it. All that is decided counts it without what a
// model wrote in it, so that decisions are the same whoever wrote.
type Record struct {
	Kept        []Kept `json:"kept,omitempty"`
	Raw         []byte `json:"raw"`
	Tokens      int    `json:"tokens"`            // of Raw, without what a model wrote
	Plain       []byte `json:"plain,omitempty"`   // the record without that, where Raw is another one
	ModelTokens int    `json:"account,omitempty"` // tokens that Raw takes beside Tokens
}

// byRules is the record without what a model wrote.
func (r *Record) byRules() Record {
	if r.Plain == nil {
		return *r
	}
	return Record{Kept: r.Kept, Raw: r.Plain, Tokens: r.Tokens}
}

// plain returns cp without what models wrote, where there is such a form.
func (cp *Checkpoint) Plain() *Checkpoint {
	p := *cp
	p.Records = slices.Clone(cp.Records)
	for i := range p.Records {
		p.Records[i] = p.Records[i].byRules()
	}
	return &p
}

// kept are the messages of the folded turns that are sent as they came, in order.
func (cp *Checkpoint) Kept() (all []Kept) { return cp.KeptWith(nil) }

// keptWith is kept with those of a record that is still to come.
func (cp *Checkpoint) KeptWith(more []Kept) (all []Kept) {
	for i := range cp.Records {
		all = append(all, cp.Records[i].Kept...)
	}
	return append(all, more...)
}

// tokensOf is what the records take with what is kept beside them.
func Tokens(records []Record) (n int) {
	for i := range records {
		n += records[i].Tokens
		for k := range records[i].Kept {
			n += records[i].Kept[k].Tokens
		}
	}
	return n
}

// accountsOf is what the records take beside tokensOf.
func ModelTokens(records []Record) (n int) {
	for i := range records {
		n += records[i].ModelTokens
	}
	return n
}

var ErrUnreadable = errors.New("unreadable checkpoint")

func (cp *Checkpoint) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(cp); err != nil {
		return nil, fmt.Errorf("encoding a checkpoint: %w", err)
	}
	return b.Bytes(), nil
}

// decodeCheckpoint reads a stored checkpoint for a conversation. Whatever is
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
		return nil, fmt.Errorf("%w: it covers %d messages and folds %d, want at most %d", ErrUnreadable, cp.Covers, cp.Fold, covers)
	case cp.Fold > 0 && (cp.Summary == nil || len(cp.Records) == 0):
		return nil, fmt.Errorf("%w: it folds turns without a summary", ErrUnreadable)
	case len(cp.Folds) > 0 && !rising(cp.Folds, cp.Fold):
		return nil, fmt.Errorf("%w: its folds do not lead to the last", ErrUnreadable)
	case cp.Fold == 0 && len(cp.Records) > 0:
		return nil, fmt.Errorf("%w: a record that replaces nothing", ErrUnreadable)
	}
	for i := range cp.Records {
		r := &cp.Records[i]
		for _, raw := range [][]byte{r.Raw, r.byRules().Raw} {
			if m, err := chat.ParseMessage(raw); err != nil || m.Role() != chat.User || r.Tokens <= 0 || r.ModelTokens < 0 {
				return nil, fmt.Errorf("%w: its record %d is no counted user message", ErrUnreadable, i)
			}
		}
	}
	if !keptFit(cp.Kept(), msgs[:cp.Fold]) {
		return nil, fmt.Errorf("%w: what it keeps does not fit the conversation", ErrUnreadable)
	}
	last := cp.Fold - 1
	for _, mk := range cp.Masks {
		if mk.Index <= last || mk.Index >= covers || !msgs[mk.Index].Role().Result() || mk.Text == "" || mk.Saved <= 0 {
			return nil, fmt.Errorf("%w: a mask of message %d does not fit the conversation", ErrUnreadable, mk.Index)
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
		if k.Index <= last || k.Index >= len(folded) || folded[k.Index].Role() != chat.User || k.Tokens <= 0 {
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

// render returns the body in the form that cp gives it: leading instructions,
// those of the folded turns in their order, what stands in for these turns, then
// the tail with its masks and short forms.
func Render(v *layout.View, cp *Checkpoint, in Replacement) []byte {
	pieces := []chat.Piece{{From: 0, To: v.Lead}}
	for i := range v.Messages[:cp.Fold] {
		if v.Messages[i].Role().Instructs() {
			pieces = append(pieces, chat.Piece{From: v.Lead + i, To: v.Lead + i + 1})
		}
	}
	masks := cp.Masks
	tail := func(next, to int) {
		for i := next; i < to && (len(masks) > 0 || len(v.Truncated) > 0 || len(v.Stubbed) > 0); i++ {
			raw := v.Messages[i].Raw // its short form, where it has one
			if len(masks) > 0 && masks[0].Index == i {
				raw, masks = Masked(&v.Messages[i], masks[0].Text), masks[1:]
			} else if _, short := v.Truncated[i]; !short && !slices.Contains(v.Stubbed, i) {
				continue
			}
			pieces = append(pieces, chat.Piece{From: v.Lead + next, To: v.Lead + i}, chat.Piece{Raw: raw})
			next = i + 1
		}
		pieces = append(pieces, chat.Piece{From: v.Lead + next, To: v.Lead + to})
	}
	tail(cp.Fold, in.after)
	for _, m := range in.Messages {
		if m.Raw == nil {
			pieces = append(pieces, chat.Piece{From: v.Lead + m.Index, To: v.Lead + m.Index + 1})
		} else {
			pieces = append(pieces, chat.Piece{Raw: m.Raw})
		}
	}
	tail(in.next, len(v.Messages))
	return v.Request.Splice(pieces)
}

// Kept is a message of the folded turns that is sent beside their record: what a
// person typed, what the client wrote before the task. A person's words stay a
// person's message, in the client's own bytes.
type Kept struct {
	Index  int    `json:"i"`             // of the message, behind the leading instructions
	Raw    []byte `json:"raw,omitempty"` // what is sent of it; nil: all, as the client spells it
	Tokens int    `json:"n"`
	Client bool   `json:"client,omitempty"` // no person's
}

// Mask hides one tool output behind a placeholder.
type Mask struct {
	Index  int    `json:"i"` // of the message, behind the leading instructions
	Text   string `json:"t"` // the placeholder
	Tokens int    `json:"n"` // of the message with the placeholder in it
	Saved  int    `json:"s"`
}
