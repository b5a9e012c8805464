package workset

import "killick/internal/packed"

// Encode returns the stored form of the pool. Its version is that of the checkpoint that holds it.
func (p *Pool) Encode() []byte {
	w := &packed.Writer{}
	w.Len(len(p.Blocks), p.Blocks == nil)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		w.Byte(byte(b.Kind))
		w.Int(b.At)
		w.Text(b.Of)
		w.Text(b.Path)
		w.Int(b.First)
		w.Int(b.Place)
		w.Bool(b.Part)
		w.Int(b.Again)
		w.Len(len(b.Lines), b.Lines == nil)
		for _, l := range b.Lines {
			w.Text(l)
		}
	}
	w.Len(len(p.Files), p.Files == nil)
	for i := range p.Files {
		f := &p.Files[i]
		w.Text(f.Name)
		for _, n := range f.numbers() {
			w.Int(*n)
		}
	}
	return *w
}

// numbers are the numbers of a file, in the order in which they are stored.
func (f *File) numbers() [5]*int {
	return [...]*int{&f.Asked, &f.Reads, &f.Changes, &f.Used, &f.Changed}
}

// DecodePool reads the pool of a checkpoint. If it cannot be read the pool is empty, and the working
// set has lines of the newer turns only.
func DecodePool(stored []byte) *Pool {
	p, r := &Pool{}, packed.NewReader(stored)
	p.Blocks = packed.List(r, func(r *packed.Reader) Block {
		return Block{
			Kind: Kind(r.Byte()), At: r.Int(), Of: r.Text(), Path: r.Text(), First: r.Int(),
			Place: r.Int(), Part: r.Bool(), Again: r.Int(), Lines: packed.List(r, (*packed.Reader).Text),
		}
	})
	p.Files = packed.List(r, func(r *packed.Reader) (f File) {
		f.Name = r.Text()
		for _, n := range f.numbers() {
			*n = r.Int()
		}
		return f
	})
	if r.End() != nil {
		return &Pool{}
	}
	return p
}
