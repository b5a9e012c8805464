package cache

import (
	"bytes"
	"slices"

	"github.com/maypok86/otter/v2"
)

// memoryBackend is the backend without a disk: an otter cache bounded by weight, which
// evicts the least valuable records when it is full.
type memoryBackend struct {
	records *otter.Cache[name, []byte]
}

// entryOverhead is approximately what a record costs beyond its own bytes.
const entryOverhead = 160

func newMemory(maxBytes int64, count *counters) *memoryBackend {
	return &memoryBackend{records: otter.Must(&otter.Options[name, []byte]{
		MaximumWeight: uint64(maxBytes),
		Weigher: func(_ name, record []byte) uint32 {
			return uint32(len(record)) + entryOverhead
		},
		OnAtomicDeletion: func(e otter.DeletionEvent[name, []byte]) {
			if e.Cause == otter.CauseOverflow {
				count.evict(e.Key[0])
			}
		},
	})}
}

func (m *memoryBackend) read(fn func(get getter)) {
	fn(func(n *name) (entry, error) {
		record, _ := m.records.GetIfPresent(*n)
		return entry{record: record}, nil
	})
}

func (m *memoryBackend) claim(list []*claim) error {
	for _, c := range list {
		c.kept = false
		m.records.Compute(c.name, func(old []byte, found bool) ([]byte, otter.ComputeOp) {
			if found && c.accept(entry{record: old}) {
				c.kept = true
				return old, otter.CancelOp
			}
			return c.record(), otter.WriteOp
		})
	}
	return nil
}

// isCurrent counts as use, so that the record is not evicted for being idle.
func (m *memoryBackend) isCurrent(n *name, _ uint64) bool {
	_, there := m.records.GetIfPresent(*n)
	return there
}

func (m *memoryBackend) renew(n name, record []byte) error {
	m.records.ComputeIfPresent(n, func([]byte) ([]byte, otter.ComputeOp) {
		return record, otter.WriteOp
	})
	return nil
}

func (m *memoryBackend) drop(prefixes [][]byte) (n int, err error) {
	drop := func(key name) {
		if _, was := m.records.Invalidate(key); was {
			n++
		}
	}
	var short [][]byte
	for _, prefix := range prefixes {
		if len(prefix) == len(name{}) { // a look-up instead of a scan
			drop(name(prefix))
		} else {
			short = append(short, prefix)
		}
	}
	if len(short) == 0 {
		return n, nil
	}
	for key := range m.records.Keys() {
		if slices.ContainsFunc(short, func(prefix []byte) bool {
			return bytes.HasPrefix(key[:], prefix)
		}) {
			drop(key)
		}
	}
	return n, nil
}

func (m *memoryBackend) size() int64 { return int64(m.records.WeightedSize()) }

func (m *memoryBackend) close() error {
	m.records.InvalidateAll()
	return nil
}
