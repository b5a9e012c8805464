package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"

	"killick/cache/badgerdir"
	"killick/cache/platform"
)

// Deletion first makes a record unreadable, and then removes its bytes from the
// disk:
//
//   - When a call returns, no reader finds the records any more, and the tables
//     and write-ahead logs that held them were rewritten without them.
//   - Longer values are in value logs, which only grow at their end. The ones that
//     hold deleted records are rewritten in the background, except the one that is
//     being written: that one is rewritten when it is full, or at the next start.
//     A file beside them records that.
//
// What the file system or its disk keep of deleted files is out of reach here;
// encryption protects it.

// forgetTimeout bounds a removal, which may rewrite many tables.
const forgetTimeout = time.Minute

// Forget removes checkpoints by their keys, and originals of who by their refs.
// It returns how many records there were.
func (s *Store) Forget(ctx context.Context, keys []Key, who string, refs []string) (int, error) {
	prefixes := make([][]byte, 0, len(keys)+len(refs))
	for _, key := range keys {
		n := checkpointName(key)
		seen := lastSeenName(key)
		prefixes = append(prefixes, n[:], seen[:])
	}
	for _, ref := range refs {
		n := originalName(who, ref)
		prefixes = append(prefixes, n[:])
	}
	return s.forget(ctx, prefixes)
}

// Checkpoints returns the checkpoints of who under keys: they name originals that are deleted with
// them.
func (s *Store) Checkpoints(
	ctx context.Context, who string, keys []Key,
) (values [][]byte, err error) {
	for _, key := range keys {
		value, err := s.Checkpoint(ctx, who, key)
		switch {
		case err == nil:
			values = append(values, value)
		case !errors.Is(err, ErrNotFound):
			return nil, err
		}
	}
	return values, nil
}

// ForgetOwner removes everything stored for who, under every upstream and policy.
func (s *Store) ForgetOwner(ctx context.Context, who string) (int, error) {
	owner := Owner(who)
	return s.forget(ctx, [][]byte{
		append([]byte{kindCheckpoint}, owner[:]...),
		append([]byte{kindOriginal}, owner[:]...),
		append([]byte{kindLastSeen}, owner[:]...),
	})
}

// ForgetAll removes everything.
func (s *Store) ForgetAll(ctx context.Context) (int, error) {
	return s.forget(ctx, [][]byte{{kindCheckpoint}, {kindOriginal}, {kindLastSeen}})
}

func (s *Store) forget(ctx context.Context, prefixes [][]byte) (int, error) {
	n, err := callFor(ctx, s, forgetTimeout, func(context.Context) (int, error) {
		s.lookups.deletions.Add(1) // what was found before is looked up again
		defer s.lookups.deletions.Add(1)
		return s.backend.drop(prefixes)
	})
	if err != nil {
		return 0, fmt.Errorf("forgetting: %w", err)
	}
	s.count.deleted.Add(uint64(n))
	return n, nil
}

func (d *diskBackend) drop(prefixes [][]byte) (int, error) {
	// Most names have no record. Looking them up takes seconds for a long conversation, and nobody
	// writes while records are dropped: only those that are there are looked up again then.
	there, n := d.withRecords(prefixes)
	if n == 0 {
		return 0, nil
	}
	notes, _ := d.withRecords(notesOf(prefixes))
	d.compacting.Lock()
	defer d.compacting.Unlock()
	d.dropping.Lock()
	defer d.dropping.Unlock()
	if there, n = d.withRecords(there); n == 0 {
		return 0, nil
	}
	notes, _ = d.withRecords(notes)
	there = append(there, notes...)
	if err := d.writes.wait(); err != nil {
		return 0, err
	}
	if err := d.writable(); err != nil {
		return 0, err
	}
	// The mark is written first, so that after a crash the logs are still rewritten.
	if err := os.WriteFile(filepath.Join(d.dir, badgerdir.EraseFile), nil, 0o600); err != nil {
		return 0, err
	}
	if err := d.db.DropPrefix(there...); err != nil {
		return 0, fmt.Errorf("badger: %w", err)
	}
	// Badger logs what stops it half-way, and returns no error.
	if _, left := d.withRecords(there); left > 0 {
		return 0, fmt.Errorf("%d of %d records are still there; try again", left, n)
	}
	wake(d.erase)
	return n, nil
}

// notesOf returns the prefixes of the replacement marks of checkpoints with some of prefixes.
func notesOf(prefixes [][]byte) (notes [][]byte) {
	for _, prefix := range prefixes {
		if prefix[0] == kindCheckpoint {
			notes = append(notes, append([]byte{kindReplaced}, prefix[1:]...))
		}
	}
	return notes
}

// withRecords returns those of the prefixes under which there are records, and the number of these
// records.
func (d *diskBackend) withRecords(prefixes [][]byte) (there [][]byte, n int) {
	txn := d.db.NewTransaction(false)
	defer txn.Discard()
	options := badger.DefaultIteratorOptions
	options.PrefetchValues = false
	for _, prefix := range prefixes {
		if len(prefix) == len(name{}) { // a look-up instead of a scan of tables
			if _, err := txn.Get(prefix); err == nil {
				there, n = append(there, prefix), n+1
			}
			continue
		}
		before := n
		options.Prefix = prefix
		it := txn.NewIterator(options)
		for it.Rewind(); it.Valid(); it.Next() {
			n++
		}
		it.Close()
		if n > before {
			there = append(there, prefix)
		}
	}
	return there, n
}

// anyGarbage is the share of a value log that must be garbage for it to be
// rewritten when something in it is to be erased: a single record will do.
const anyGarbage = 1e-12

// eraseLogs rewrites the value logs that hold deleted records, and reports whether
// none is left except the one that is being written.
func (d *diskBackend) eraseLogs() (done bool) {
	if _, err := os.Stat(filepath.Join(d.dir, badgerdir.EraseFile)); err != nil {
		return false
	}
	for {
		select {
		case <-d.stop:
			return false
		default:
		}
		if free, known := platform.FreeBytes(d.dir); known &&
			free < d.reserve/2+uint64(d.logFileBytes) {
			d.log.Warn("too little free space to erase deleted data from the value logs",
				"dir", d.dir)
			return false
		}
		switch err := d.collectOne(anyGarbage); {
		case err == nil:
			d.count.gcRuns.Add(1)
		case errors.Is(err, badger.ErrNoRewrite):
			return true
		default:
			d.log.Warn("erasing deleted data failed", "dir", d.dir, "error", err)
			return false
		}
	}
}

// finishErasing is called when the store was opened: Badger has begun a new
// value log, so all that hold deleted records can be rewritten.
func (d *diskBackend) finishErasing() {
	if !d.eraseLogs() {
		return
	}
	err := os.Remove(filepath.Join(d.dir, badgerdir.EraseFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("erasing deleted data failed", "dir", d.dir, "error", err)
	}
}
