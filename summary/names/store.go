package names

import (
	"killick/packed"
	"killick/reference"
)

// Encode writes the stored form of the table.
func (t *Table) Encode(w *packed.Writer) {
	packed.AppendList(w, t.Calls, func(w *packed.Writer, c *callLine) {
		w.Int(c.At)
		w.Text(c.Text)
		w.Text(c.Path)
	})
	packed.AppendList(w, t.Names, func(w *packed.Writer, n *nameUse) {
		w.Text(n.Word)
		w.Byte(byte(n.Kind))
		for _, v := range n.numbers() {
			w.Int(int(*v))
		}
	})
}

// numbers returns the numbers of a use, in the order in which they are stored.
func (n *nameUse) numbers() [8]*int32 {
	return [...]*int32{
		&n.Call, &n.Mentioned, &n.Asked, &n.Worked, &n.Shown, &n.Seen, &n.Used, &n.Key,
	}
}

// Decode reads the table of a checkpoint. If it cannot be read, the table is empty, and the
// index covers only the newer turns.
func Decode(stored []byte) *Table {
	t, r := &Table{}, packed.NewReader(stored)
	if len(stored) == 0 {
		return t
	}
	t.Calls = packed.List(r, func(r *packed.Reader) callLine {
		return callLine{At: r.Int(), Text: r.Text(), Path: r.Text()}
	})
	fits := true
	t.Names = packed.List(r, func(r *packed.Reader) (n nameUse) {
		n.Word, n.Kind = r.Text(), reference.Kind(r.Byte())
		for _, v := range n.numbers() {
			stored := r.Int()
			*v = int32(stored)
			fits = fits && int(*v) == stored
		}
		return n
	})
	if r.End() != nil || !fits {
		return &Table{}
	}
	t.facts = make([]wordFacts, 0, len(t.Names))
	for i := range t.Names {
		if c := t.Names[i].Call; c < -1 || int(c) >= len(t.Calls) {
			return &Table{}
		}
		t.facts = append(t.facts, factsOf(t.Names[i].Word, t.Names[i].Kind))
	}
	return t
}
