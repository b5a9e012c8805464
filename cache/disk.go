package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"killick/cache/platform"
)

// diskBackend is the backend on Badger.
type diskBackend struct {
	db       *badger.DB
	dir      string
	opened   fs.FileInfo // dir's, as it was opened; nil if that is unknown
	writes   *writeCheck
	ttl      time.Duration
	reserve  uint64
	log      *slog.Logger
	count    *counters
	pending  atomic.Int64 // bytes of running writes
	occupied atomic.Int64 // bytes that the directory takes, as last measured
	tables   atomic.Int64 // bytes of these in tables
	written  atomic.Int64 // bytes written since then

	limit     int64
	olderHalf atomic.Uint64 // records of earlier versions are renewed when used
	lookAt    atomic.Int64  // bytes in use at which maintain measures again
	grown     chan struct{} // wakes maintain: lookAt was reached

	absolute string        // path of dir
	touched  atomic.Int64  // bytes of mapped files used since memory was trimmed
	trim     chan struct{} // wakes maintain: many bytes were touched

	gcEvery      time.Duration
	syncAfter    time.Duration
	logFileBytes int64
	maxRecord    int
	stop         chan struct{}
	running      sync.WaitGroup // maintain and keepSynced
	compacting   sync.Mutex     // held while Badger's own compactions are stopped
	dropping     sync.RWMutex   // held while records are dropped, when Badger takes no writes
	erase        chan struct{}  // wakes maintain: there is something to erase
	unsynced     chan struct{}  // wakes keepSynced: there is something to sync
	syncLogs     func() error   // of Badger; tests replace it
	synced       atomic.Int64   // number of syncs
}

// wake wakes maintain by one of its channels, which have room for one.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (d *diskBackend) read(fn func(get getter)) {
	txn := d.db.NewTransaction(false)
	defer txn.Discard()
	fn(func(n *name) (entry, error) { return d.lookUp(txn, n) })
}

func (d *diskBackend) lookUp(txn *badger.Txn, n *name) (entry, error) {
	record, version, err := lookUp(txn.Get, n)
	d.touch(len(record))
	e := entry{record: record, version: version, aged: version < d.olderHalf.Load()}
	if record != nil && n[0] == kindCheckpoint && !e.aged {
		e.aged = replaced(txn, n)
	}
	return e, err
}

// replaced reports whether another checkpoint replaced the one under n.
func replaced(txn *badger.Txn, n *name) bool {
	note := replacedName(n)
	_, err := txn.Get(note[:])
	return err == nil
}

func (d *diskBackend) isCurrent(_ *name, version uint64) bool {
	return version >= d.olderHalf.Load()
}

// lookUp returns a copy of the record under n and its version, with a
// transaction's Get. It contains panics, so that one damaged record does not hide
// the ones after it.
func lookUp(
	get func(key []byte) (*badger.Item, error), n *name,
) (record []byte, version uint64, err error) {
	defer func() {
		if p := recover(); p != nil {
			record, err = nil, panicked(p)
		}
	}()
	// Badger returns no bytes if it could not read a value. Between the
	// look-up and the read, GC may have moved the value: then the second look-up
	// finds the new place.
	for range 2 {
		item, err := get(n[:])
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil, 0, nil
		}
		if err != nil {
			return nil, 0, errCorrupt
		}
		if record, err = item.ValueCopy(nil); err == nil && len(record) > 0 {
			return record, item.Version(), nil
		}
	}
	return nil, 0, errCorrupt
}

func (d *diskBackend) claim(list []*claim) error {
	if len(list) > 0 && list[0].name[0] == kindCheckpoint { // with the originals before it
		defer wake(d.unsynced)
	}
	for len(list) > 0 {
		done, err := d.write(list)
		if errors.Is(err, badger.ErrConflict) {
			continue // another writer was first: its record is there now
		}
		if err != nil {
			return err
		}
		list = list[done:]
	}
	return nil
}

func (d *diskBackend) renew(n name, record []byte) error {
	_, err := d.write([]*claim{{
		name: n, record: func() []byte { return record },
		accept: func(old entry) bool { return old.record == nil },
	}})
	return err
}

// maxTransaction is how many bytes of records one transaction writes, unless a single one is
// larger. Badger begins another value log between two transactions at the earliest.
const maxTransaction = 1 << 20

// write executes the first of the claims in one transaction. It returns how many they were.
// Unreadable records count as absent.
func (d *diskBackend) write(list []*claim) (done int, err error) {
	d.dropping.RLock()
	defer d.dropping.RUnlock()
	txn := d.db.NewTransaction(true)
	defer txn.Discard()
	size, wrote := 0, 0
	for _, c := range list {
		old, err := d.lookUp(txn, &c.name)
		if err != nil {
			old = entry{}
		}
		c.err = nil
		if c.kept = c.accept(old); c.kept {
			done++
			continue
		}
		record := c.record()
		if len(record) > d.maxRecord {
			c.err = errTooLarge(len(record), d.maxRecord)
			done++
			continue
		}
		if wrote > 0 && size+len(record) > min(maxTransaction, d.maxRecord) {
			break
		}
		if err := d.set(txn, c, record); err != nil {
			return 0, err
		}
		c.version = txn.ReadTs()
		size += len(record)
		done++
		wrote++
	}
	if wrote == 0 {
		return done, nil
	}
	if err := d.writes.wait(); err != nil {
		return 0, err
	}
	if err := d.makeRoom(size); err != nil {
		return 0, err
	}
	defer d.pending.Add(-int64(size))
	if err := txn.Commit(); err != nil {
		return 0, fmt.Errorf("badger: %w", err)
	}
	d.written.Add(int64(size))
	d.touch(size)
	return done, nil
}

// set writes the record of a claim, and marks the one that it replaces.
func (d *diskBackend) set(txn *badger.Txn, c *claim, record []byte) error {
	// This frees the space; the record's own expiry decides.
	expires := uint64(time.Now().Add(d.ttl).Unix())
	e := badger.NewEntry(c.name[:], record)
	e.ExpiresAt = expires
	if err := txn.SetEntry(e); err != nil {
		// Badger's own error may quote the value.
		return fmt.Errorf("badger refuses a record of %d bytes", len(record))
	}
	if c.name[0] == kindCheckpoint && replaced(txn, &c.name) { // no longer
		note := replacedName(&c.name)
		if err := txn.Delete(note[:]); err != nil {
			return err
		}
	}
	if c.replaces == nil {
		return nil
	}
	note := replacedName(c.replaces)
	e = badger.NewEntry(note[:], nil)
	e.ExpiresAt = expires
	return txn.SetEntry(e)
}

// makeRoom reserves bytes for a write, or refuses it. Badger writes into sparse
// mapped files: on a full disk such a write is not an error but a signal that
// ends the process. So space is checked beforehand, for the write and for what
// Badger does on its own: fill its logs, flush and compact its tables.
func (d *diskBackend) makeRoom(size int) error {
	pending := d.pending.Add(int64(size))
	free, ok := platform.FreeBytes(d.dir)
	want := d.reserve + uint64(d.tables.Load()) + uint64(pending)
	if err := d.checkLimit(pending); err != nil {
		d.pending.Add(-int64(size))
		return err
	}
	if err := d.writable(); err != nil {
		d.pending.Add(-int64(size))
		return err
	}
	if ok && free < want {
		d.pending.Add(-int64(size))
		return fmt.Errorf("%w: %d MiB left on the file system of %s, want %d",
			ErrNoSpace, free>>20, d.dir, want>>20+1)
	}
	return nil
}

// budget is the bytes that records may take on disk: the limit minus what Badger
// needs in addition while it compacts tables and rewrites a value log.
func (d *diskBackend) budget() int64 {
	return d.limit - d.tables.Load() - d.logFileBytes - 3*memTableBytes
}

// used is approximately the bytes that the directory takes.
func (d *diskBackend) used() int64 { return d.occupied.Load() + d.written.Load() }

// checkLimit refuses a write past the limit, and wakes maintain before that is
// reached.
func (d *diskBackend) checkLimit(pending int64) error {
	used := d.used() + pending
	if used > d.lookAt.Load() {
		wake(d.grown)
	}
	if used > d.budget() {
		return errAtLimit(used, d.limit)
	}
	return nil
}

// writable returns why no files can be created in the directory any more, nil if they can. Badger
// then tries without end to create one, so it must not come to that. What is written to the open
// files of a directory that was removed is lost with the process.
func (d *diskBackend) writable() error {
	err := platform.MayCreateIn(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was removed while it was in use; restart Killick to create it again",
			d.dir)
	case err != nil:
		return fmt.Errorf("%s can no longer be written: %w", d.dir, err)
	case !d.inPlace():
		return fmt.Errorf("%s was replaced while it was in use; restart Killick to use the new one",
			d.dir)
	}
	return nil
}

// inPlace reports whether the directory is the one that was opened. Another process may have made a
// new one there: Badger, which uses paths, would remove and create files of that one. Badger has
// the old one open, so no other directory gets its inode.
func (d *diskBackend) inPlace() bool {
	info, err := os.Stat(d.dir)
	return err == nil && (d.opened == nil || os.SameFile(info, d.opened))
}

// touch records that this many bytes of a mapped file were used. The system also maps the pages
// around them, 64 KiB in total.
func (d *diskBackend) touch(n int) {
	if n < valueThreshold { // in a table
		return
	}
	if d.touched.Add(int64(n)+64<<10) > residentLimit/2 {
		wake(d.trim)
	}
}

// residentLimit is how many bytes of mapped files may be in memory before they
// are released. That is checked whenever half as much was used, and every minute.
const residentLimit = 64 << 20

func (d *diskBackend) size() int64 { return d.used() }

// close flushes and closes Badger. Without space or rights to flush it leaves the directory
// as a kill would, and syncs it: what was written is in the logs, which the next start reads.
func (d *diskBackend) close() error {
	close(d.stop)
	d.running.Wait()
	defer d.writes.close()
	if err := d.writes.wait(); err != nil {
		return err // such a disk cannot be synced either
	}
	if err := d.writable(); err != nil {
		return errors.Join(err, d.sync())
	}
	free, ok := platform.FreeBytes(d.dir)
	if want := uint64(3*memTableBytes + d.tables.Load()); ok && free < want {
		return errors.Join(fmt.Errorf("%w to flush, %d MiB left: "+
			"the next start reads its logs instead", ErrNoSpace, free>>20), d.sync())
	}
	return d.db.Close()
}

// sync makes what was written outlast a power loss. It is done once for all checkpoints of a
// second, and nobody waits for it: a process that is killed loses nothing that was written, and
// what a power loss takes is made again. Badger would sync within each commit, and reads would wait
// for that. One gap remains: a record whose memtable was replaced before the sync is lost until its
// table is written, moments later.
func (d *diskBackend) sync() (err error) {
	defer func() {
		if err != nil {
			d.count.failures.Add(1)
		}
	}()
	defer contain(&err)
	if err = d.syncLogs(); err == nil {
		d.synced.Add(1)
	}
	return err
}

func (d *diskBackend) collectOne(share float64) (err error) {
	defer contain(&err)
	return d.db.RunValueLogGC(share)
}

// measure sums up what the directory takes.
func (d *diskBackend) measure() {
	written := d.written.Load()
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return
	}
	var all, tables int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		all += platform.DiskBytes(info)
		if filepath.Ext(e.Name()) == ".sst" {
			tables += info.Size()
		}
	}
	d.occupied.Store(all)
	d.tables.Store(tables)
	d.written.Add(-written)
}
