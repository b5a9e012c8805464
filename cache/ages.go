package cache

import (
	"maps"
	"slices"
)

// ages counts the bytes that a store holds by when they were written. Badger numbers its writes, so
// the version of a record is its age; a record that is renewed is written again, with a new
// version.
type ages struct {
	width uint             // a slice covers 1<<width versions
	bytes map[uint64]int64 // by version >> width
}

// maxSlices bounds the number of slices, and so how fine they are.
const maxSlices = 2048

// add adds a record.
func (a *ages) add(version uint64, bytes int64) {
	if a.bytes == nil {
		a.bytes = map[uint64]int64{}
	}
	a.bytes[version>>a.width] += bytes
	for len(a.bytes) > maxSlices {
		finer := a.bytes
		a.bytes = make(map[uint64]int64, len(finer)/2+1)
		a.width++
		for at, n := range finer {
			a.bytes[at>>1] += n
		}
	}
}

// oldest returns the version before which at least that many bytes were written,
// rounded up to a slice. It never covers the newest slice.
func (a *ages) oldest(bytes int64) (before uint64) {
	at := slices.Sorted(maps.Keys(a.bytes))
	before, _ = a.first(at[:max(len(at)-1, 0)], bytes)
	return before
}

// all is like oldest, but may cover the newest slice. It also returns by how many bytes all
// records fall short.
func (a *ages) all(bytes int64) (before uint64, missing int64) {
	return a.first(slices.Sorted(maps.Keys(a.bytes)), bytes)
}

// first is all for some slices, in order.
func (a *ages) first(at []uint64, bytes int64) (before uint64, missing int64) {
	for _, v := range at {
		if bytes <= 0 {
			break
		}
		bytes -= a.bytes[v]
		before = (v + 1) << a.width
	}
	return before, max(bytes, 0)
}

// total is the bytes of all records.
func (a *ages) total() (n int64) {
	for _, size := range a.bytes {
		n += size
	}
	return n
}
