package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/dgraph-io/badger/v4"

	"killick/cache/platform"
)

// The directory of a store stays below Options.MaxBytes. Past seven eighths of
// what may be written, records are removed in the background until three quarters
// are left. Writes that outpace that are refused, as on a full disk: no call waits
// for an eviction.
//
// Checkpoints that another one has replaced go first, the oldest before the others,
// and only as many as needed. They are marked by a separate record when they are
// replaced, in the same transaction, so that finding them only reads names. One that
// is still used, by a branch of its conversation, is written again without the mark.
//
// After them the oldest records go: those that were written longest ago, whether
// checkpoints or originals. Using a record of the older half writes it again. Value
// logs are filled in the same order, so removal empties whole logs, which are deleted
// without copying a byte. The other records of logs with replaced checkpoints are
// copied.
//
// Badger frees space in three steps, and takes none of them while little is written:
// a removal must reach the tables, tables must be compacted down to one
// level for Badger to learn how much of each value log is garbage, and logs that
// are mostly garbage must be rewritten.

// keepLimit brings the directory back to three quarters of its budget if it is
// near its limit. It also updates which records are the older half, so that those
// in use are renewed before they are old enough to be evicted.
func (d *diskBackend) keepLimit() {
	defer func() {
		if p := recover(); p != nil {
			d.lookAt.Store(lookLater)
			d.log.Warn("making room in the store failed", "dir", d.dir, "error", panicked(p))
		}
	}()
	d.measure()
	budget, used := d.budget(), d.used()
	if used < budget/2 {
		d.olderHalf.Store(0)
		d.lookAt.Store(budget / 2)
		return
	}
	if look := d.lookAt.Load(); used < look && look != lookLater {
		return
	}
	if used <= budget-budget/8 {
		found := d.takeInventory().current
		d.olderHalf.Store(found.oldest(found.total() / 2))
		d.lookAt.Store(min(used+budget/8, budget-budget/8))
		return
	}
	before := d.count.evicted()
	err := d.makeSpace(budget - budget/4)
	removed := d.count.evicted() - before
	stuck := removed == 0 && d.used() > budget-budget/8
	if stuck {
		d.lookAt.Store(lookLater)
	} else {
		d.lookAt.Store(budget - budget/8)
	}
	facts := []any{"dir", d.dir, "records", removed,
		"limit_mib", d.limit >> 20, "was_mib", used >> 20, "is_mib", d.used() >> 20}
	switch {
	case errors.Is(err, errStopped):
	case err != nil || stuck:
		d.log.Warn("the store stays near its size limit", append(facts, "error", err)...)
	case removed > 0:
		d.log.Info("the store was near its size limit: evicted replaced and old records", facts...)
	}
}

// makeSpace evicts records until the directory takes no more than target. Expired
// and removed records go first.
func (d *diskBackend) makeSpace(target int64) error {
	err := d.reclaim(target)
	for round := 0; err == nil && d.used() > target && round < maxRounds; round++ {
		found, excess := d.takeInventory(), d.used()-target
		old, left := found.replaced.all(excess)
		d.olderHalf.Store(found.current.oldest((found.current.total() + left) / 2)) // of what stays
		var n int
		if n, err = d.evict(old, found.current.oldest(left)); n == 0 || err != nil {
			break
		}
		err = d.reclaim(target)
	}
	return err
}

// maxRounds bounds the rounds of one eviction. Each removes the remaining excess;
// some of that frees nothing yet, as the rest of its log is in use.
const maxRounds = 6

// lookLater is the value of lookAt after an eviction that freed too little: the next one is tried
// within a minute.
const lookLater = math.MaxInt64

var errStopped = errors.New("the store is closing")

func (d *diskBackend) stopping() bool {
	select {
	case <-d.stop:
		return true
	default:
		return false
	}
}

// each calls fn with every record, without its value, and whether it is a checkpoint that was
// replaced.
func (d *diskBackend) each(fn func(item *badger.Item, replaced bool)) {
	txn := d.db.NewTransaction(false)
	defer txn.Discard()
	options := badger.DefaultIteratorOptions
	options.PrefetchValues = false
	it := txn.NewIterator(options)
	defer it.Close()
	options.Prefix = []byte{kindReplaced}
	notes := txn.NewIterator(options) // in the order of the checkpoints
	defer notes.Close()
	notes.Rewind()
	for it.Rewind(); it.Valid() && !d.stopping(); it.Next() {
		key := it.Item().Key()
		switch {
		case len(key) != len(name{}) || key[0] == kindReplaced:
		case key[0] != kindCheckpoint:
			fn(it.Item(), false)
		default:
			for notes.Valid() && bytes.Compare(notes.Item().Key()[1:], key[1:]) < 0 {
				notes.Next() // of one that has expired
			}
			fn(it.Item(), notes.Valid() && bytes.Equal(notes.Item().Key()[1:], key[1:]))
		}
	}
}

// inventory is what a store holds, by age.
type inventory struct {
	replaced ages // checkpoints that another one replaced
	current  ages // everything else
}

// takeInventory adds up the records.
func (d *diskBackend) takeInventory() *inventory {
	found := new(inventory)
	d.each(func(item *badger.Item, replaced bool) {
		of := &found.current
		if replaced {
			of = &found.replaced
		}
		of.add(item.Version(), item.EstimatedSize())
	})
	return found
}

// removal is a record to be removed if it is still older than a version.
type removal struct {
	name   []byte
	before uint64
}

// evict removes the replaced checkpoints that were written before one version and the other
// records that were written before another, and returns how many they were.
func (d *diskBackend) evict(replacedBefore, before uint64) (n int, err error) {
	const batch = 500
	list := make([]removal, 0, batch)
	remove := func() {
		for err == nil && len(list) > 0 {
			var removed int
			removed, err = d.removeOlder(list)
			if errors.Is(err, badger.ErrConflict) {
				err = nil // one of them was renewed meanwhile
				continue
			}
			n += removed
			list = list[:0]
		}
	}
	d.each(func(item *badger.Item, replaced bool) {
		limit := before
		if replaced {
			limit = max(before, replacedBefore)
		}
		if item.Version() >= limit || err != nil {
			return
		}
		if list = append(list, removal{item.KeyCopy(nil), limit}); len(list) == batch {
			remove()
		}
	})
	remove()
	return n, err
}

// removeOlder removes those records of a list that were not rewritten since.
func (d *diskBackend) removeOlder(list []removal) (n int, err error) {
	d.dropping.RLock()
	defer d.dropping.RUnlock()
	txn := d.db.NewTransaction(true)
	defer txn.Discard()
	var removed []byte // kinds
	for _, c := range list {
		item, err := txn.Get(c.name)
		if err != nil || item.Version() >= c.before {
			continue
		}
		n := name(c.name)
		if err := txn.Delete(c.name); err != nil {
			return 0, err
		}
		if n[0] == kindCheckpoint && replaced(txn, &n) {
			note := replacedName(&n)
			if err := txn.Delete(note[:]); err != nil {
				return 0, err
			}
		}
		removed = append(removed, n[0])
	}
	if err := txn.Commit(); err != nil {
		return 0, err
	}
	for _, kind := range removed {
		d.count.evict(kind)
	}
	return len(removed), nil
}

// reclaim frees the space of removed records, until the directory takes no more
// than target or nothing worthwhile is left.
func (d *diskBackend) reclaim(target int64) error {
	if free, known := platform.FreeBytes(d.dir); known &&
		free < d.reserve/2+uint64(d.logFileBytes+2*d.tables.Load()) {
		return ErrNoSpace
	}
	if err := d.compact(); err != nil {
		return err
	}
	d.measure()
	for _, share := range []float64{0.9, 0.5} {
		for d.used() > target {
			if d.stopping() {
				return errStopped
			}
			err := d.collectOne(share)
			if errors.Is(err, badger.ErrNoRewrite) {
				break
			}
			if err != nil {
				return err
			}
			d.count.gcRuns.Add(1)
			d.measure()
		}
	}
	return nil
}

// compact has Badger drop removed and expired records from its tables, and count
// them as garbage of their value logs.
func (d *diskBackend) compact() error {
	// Flattening leaves tables alone that are all of the first level, as in a store
	// that is new, and fewer than three.
	for range 3 {
		if err := d.flush(); err != nil {
			return err
		}
		if err := d.flatten(); err != nil {
			return err
		}
		tables := d.db.Tables() // lowest level first
		if len(tables) == 0 || tables[0].Level > 0 {
			break
		}
	}
	return nil
}

// flush has Badger write all commits to tables. Badger only does so when a
// memtable is full, so this fills it, with expired entries.
func (d *diskBackend) flush() error {
	if err := d.fill(); err != nil {
		return err
	}
	txn := d.db.NewTransaction(false)
	committed := txn.ReadTs()
	txn.Discard()
	for written := 0; written < 2*memTableBytes && !d.inTables(committed); {
		if d.stopping() {
			return errStopped
		}
		if err := d.fill(); err != nil {
			return err
		}
		written += fillers * fillerBytes
	}
	for wait := time.Millisecond; !d.inTables(committed); wait *= 2 {
		if wait > 10*time.Second {
			return errors.New("badger did not write its memtables to tables")
		}
		select {
		case <-d.stop:
			return errStopped
		case <-time.After(wait):
		}
	}
	return nil
}

// Entries that only fill a memtable have names of a separate kind, and take at
// least this many bytes of it.
const (
	kindFiller  = 'f'
	fillers     = 1000
	fillerBytes = 32
)

func (d *diskBackend) fill() error {
	d.dropping.RLock()
	defer d.dropping.RUnlock()
	wb := d.db.NewWriteBatch()
	defer wb.Cancel()
	for i := range uint64(fillers) {
		e := badger.NewEntry(binary.BigEndian.AppendUint64([]byte{kindFiller}, i), nil)
		e.ExpiresAt = 1
		if err := wb.SetEntry(e); err != nil {
			return err
		}
	}
	return wb.Flush()
}

// inTables reports whether everything up to a version is in tables.
func (d *diskBackend) inTables(version uint64) bool {
	for _, t := range d.db.Tables() {
		if t.MaxVersion >= version {
			return true
		}
	}
	return false
}

// flatten compacts all tables down to one level.
func (d *diskBackend) flatten() (err error) {
	defer contain(&err)
	d.compacting.Lock()
	defer d.compacting.Unlock()
	return d.db.Flatten(1)
}
