package workset

import "killick/packed"

// Encode writes the stored form of the pool. Its version is that of the checkpoint that holds it
// (checkpoint.Version).
func (p *Pool) Encode(w *packed.Writer) {
	w.Len(len(p.Blocks), p.Blocks == nil)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		w.Bool(b.Written)
		w.Int(b.At)
		w.Int(b.Text)
		w.Int(b.Place)
		w.Text(b.Path)
		w.Text(b.Of)
		w.Int(b.First)
		w.Int(b.From)
		w.Bool(b.Part)
		w.Bool(b.CRLF)
		w.Int(b.Touched)
		w.Len(len(b.Lines), b.Lines == nil)
		for _, l := range b.Lines {
			w.Text(l)
		}
	}
	w.Len(len(p.Files), p.Files == nil)
	for i := range p.Files {
		f := &p.Files[i]
		w.Text(f.Path)
		for _, n := range f.numbers() {
			w.Int(*n)
		}
	}
	w.Int(p.Request)
}

// numbers returns the numbers of a file, in the order in which they are stored.
func (f *File) numbers() [4]*int { return [...]*int{&f.Asked, &f.Changes, &f.Used, &f.Changed} }

// DecodePool reads the pool of a checkpoint. If it cannot be read, the pool is empty, and lines are
// chosen from newer turns only.
func DecodePool(stored []byte) *Pool {
	r := packed.NewReader(stored)
	p := &Pool{}
	p.Blocks = packed.List(r, func(r *packed.Reader) Block {
		return Block{
			Written: r.Bool(), At: r.Int(), Text: r.Int(), Place: r.Int(),
			Path: r.Text(), Of: r.Text(), First: r.Int(), From: r.Int(), Part: r.Bool(),
			CRLF: r.Bool(), Touched: r.Int(), Lines: packed.List(r, (*packed.Reader).Text),
		}
	})
	p.Files = packed.List(r, func(r *packed.Reader) (f File) {
		f.Path = r.Text()
		for _, n := range f.numbers() {
			*n = r.Int()
		}
		return f
	})
	p.Request = r.Int()
	if r.End() != nil {
		return &Pool{}
	}
	return p
}
