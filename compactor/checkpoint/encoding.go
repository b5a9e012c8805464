package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"

	"killick/compaction"
	"killick/packed"
	"killick/view"
)

// Version changes when newer code would misread a stored checkpoint. Checkpoints of different
// versions are stored apart, so those of other versions are not found: the store is a cache. It is
// the first byte of a stored checkpoint.
const Version = 14

// A stored checkpoint has, after the version: its numbers; a section each for masks, for records
// and for other fields that every turn needs; a section for each of the details; and a checksum of
// everything before it. A section is preceded by its length.

// checksumSize is the size of the checksum in bytes.
const checksumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writers are for checkpoints that are being encoded.
var writers = sync.Pool{New: func() any { return new(packed.Writer) }}

// Encode returns the stored form of cp.
func (cp *Checkpoint) Encode() ([]byte, error) {
	w := writers.Get().(*packed.Writer)
	defer writers.Put(w)
	*w = append((*w)[:0], Version)
	for _, n := range cp.numbers() {
		w.Int(*n)
	}
	w.Int64(cp.Made)
	w.Section(func(w *packed.Writer) { packed.AppendList(w, cp.Masks, encodeMask) })
	w.Section(func(w *packed.Writer) { packed.AppendList(w, cp.Records, encodeRecord) })
	w.Section(cp.encodeRest)
	if err := cp.details.encode(w); err != nil {
		return nil, fmt.Errorf("encoding a checkpoint: %w", err)
	}
	*w = binary.LittleEndian.AppendUint32(*w, crc32.Checksum(*w, castagnoli))
	return bytes.Clone(*w), nil
}

// encode writes a section for each of the details.
func (d *details) encode(w *packed.Writer) (err error) {
	if d.made.Folds != nil {
		w.Section(func(w *packed.Writer) {
			packed.AppendList(w, d.made.Folds, func(w *packed.Writer, to *int) { w.Int(*to) })
		})
	} else {
		w.Bytes(d.folds)
	}
	if d.made.Summary != nil {
		w.Section(func(w *packed.Writer) { *w, err = d.made.Summary.AppendBinary(*w) })
	} else {
		w.Bytes(d.summary)
	}
	if d.made.Names != nil {
		w.Section(d.made.Names.Encode)
	} else {
		w.Bytes(d.names)
	}
	if d.made.Blocks != nil {
		w.Section(d.made.Blocks.Encode)
	} else {
		w.Bytes(d.blocks)
	}
	return err
}

// Decode reads a stored checkpoint for a conversation. For any value, it returns a checkpoint that
// can be rendered over msgs, or ErrUnreadable. The checkpoint has slices of value, which must not
// be changed any more.
func Decode(value []byte, covers int, msgs []view.Message) (*Checkpoint, error) {
	cp, err := Read(value)
	if err != nil {
		return nil, err
	}
	if err := cp.check(covers, msgs); err != nil {
		return nil, err
	}
	return cp, nil
}

// Read is Decode without a conversation: the checkpoint can be described and not rendered.
func Read(value []byte) (*Checkpoint, error) {
	cp := &Checkpoint{}
	if err := cp.read(value); err != nil {
		return nil, err
	}
	return cp, nil
}

// read reads a stored checkpoint, except the details.
func (cp *Checkpoint) read(value []byte) error {
	if len(value) < 1+checksumSize || value[0] != Version {
		return fmt.Errorf("%w: not of version %d", ErrUnreadable, Version)
	}
	end := len(value) - checksumSize
	if binary.LittleEndian.Uint32(value[end:]) != crc32.Checksum(value[:end], castagnoli) {
		return fmt.Errorf("%w: the checksum differs", ErrUnreadable)
	}
	r := packed.NewReader(value[1:end])
	for _, n := range cp.numbers() {
		*n = r.Int()
	}
	cp.Made = r.Int64()
	masks, records, rest := r.Section(), r.Section(), r.Section()
	cp.Masks = packed.List(masks, readMask)
	cp.Records = packed.List(records, readRecord)
	cp.readRest(rest)
	cp.details.folds, cp.details.summary, cp.details.names = r.Bytes(), r.Bytes(), r.Bytes()
	cp.details.blocks = r.Bytes()
	for _, section := range []*packed.Reader{masks, records, rest, r} {
		if err := section.End(); err != nil {
			return fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
	}
	return nil
}

// numbers are the numbers of a checkpoint, in the order in which they are stored.
func (cp *Checkpoint) numbers() [6]*int {
	return [...]*int{&cp.Covers, &cp.Fold, &cp.At, &cp.NextAt, &cp.Before, &cp.After}
}

func encodeMask(w *packed.Writer, m *Mask) {
	w.Int(m.Index)
	w.Text(m.Text)
	w.Int(m.Tokens)
	w.Int(m.Saved)
}

func readMask(r *packed.Reader) Mask {
	return Mask{Index: r.Int(), Text: r.Text(), Tokens: r.Int(), Saved: r.Int()}
}

func encodeRecord(w *packed.Writer, r *Record) {
	packed.AppendList(w, r.Kept, func(w *packed.Writer, kept *Kept) {
		w.Int(kept.Index)
		w.Bytes(kept.Raw)
		w.Int(kept.Tokens)
		w.Bool(kept.Client)
	})
	w.Bytes(r.Raw)
	w.Int(r.Tokens)
	w.Bytes(r.Plain)
	w.Int(r.ModelTokens)
}

func readRecord(r *packed.Reader) Record {
	return Record{
		Kept: packed.List(r, func(r *packed.Reader) Kept {
			return Kept{Index: r.Int(), Raw: r.Bytes(), Tokens: r.Int(), Client: r.Bool()}
		}),
		Raw: r.Bytes(), Tokens: r.Int(), Plain: r.Bytes(), ModelTokens: r.Int(),
	}
}

// encodeRest writes the section of what was left out and what was verified.
func (cp *Checkpoint) encodeRest(w *packed.Writer) {
	w.Len(len(cp.Dropped), cp.Dropped == nil)
	for _, d := range cp.Dropped {
		w.Text(d.Kind)
		w.Int(d.Count)
		w.Int(d.Tokens)
	}
	w.Text(cp.Written)
	cp.Working.encode(w)
	encodeProbe(w, cp.Probe)
	if cp.Provider != nil { // last, so that the stored form of others does not change
		cp.Provider.encode(w)
	}
}

func encodeProbe(w *packed.Writer, p *compaction.Probe) {
	if w.Bool(p != nil); p == nil {
		return
	}
	w.Int(p.Held)
	w.Int(p.Of)
	w.Int(p.Repaired)
	m := p.Model
	if w.Bool(m != nil); m == nil {
		return
	}
	w.Text(string(m.Verdict))
	w.Float(m.Score)
	w.Int(m.Verified)
	w.Int(m.Written)
	w.Int(m.Asked)
	w.Bool(m.Carried)
}

func (cp *Checkpoint) readRest(r *packed.Reader) {
	cp.Dropped = packed.List(r, func(r *packed.Reader) compaction.Dropped {
		return compaction.Dropped{Kind: r.Text(), Count: r.Int(), Tokens: r.Int()}
	})
	cp.Written = r.Text()
	cp.Working = readWorking(r)
	cp.Probe = readProbe(r)
	if r.More() {
		cp.Provider = readProvider(r)
	}
}

func readProbe(r *packed.Reader) *compaction.Probe {
	if !r.Bool() {
		return nil
	}
	p := &compaction.Probe{Held: r.Int(), Of: r.Int(), Repaired: r.Int()}
	if r.Bool() {
		p.Model = &compaction.ModelProbe{
			Verdict: compaction.Verdict(r.Text()), Score: r.Float(), Verified: r.Int(),
			Written: r.Int(), Asked: r.Int(), Carried: r.Bool(),
		}
	}
	return p
}
