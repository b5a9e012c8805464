package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/dgraph-io/badger/v4"

	"killick/cache/badgerdir"
	"killick/cache/platform"
)

func startDisk(
	db *badger.DB, o Options, dir string, count *counters,
) *diskBackend {
	d := &diskBackend{
		db: db, dir: dir, writes: newWriteCheck(dir), ttl: o.TTL, reserve: o.reserve, log: o.Logger,
		count: count,
		limit: o.MaxBytes, logFileBytes: o.logFileBytes,
		maxRecord: int(o.logFileBytes/2) + recordOverhead,
		gcEvery:   o.gcEvery, syncAfter: o.syncAfter, stop: make(chan struct{}),
		erase: make(chan struct{}, 1), grown: make(chan struct{}, 1), trim: make(chan struct{}, 1),
		unsynced: make(chan struct{}, 1), syncLogs: db.Sync,
	}
	if abs, err := filepath.Abs(dir); err == nil {
		d.absolute = abs
	}
	if info, err := os.Stat(dir); err == nil {
		d.opened = info
	}
	d.measure()
	d.restrict()
	d.running.Go(d.maintain)
	d.running.Go(d.keepSynced)
	return d
}

// maintain frees space and updates the statistics until the store is closed.
func (d *diskBackend) maintain() {
	debug.SetPanicOnFault(true) // only for this goroutine
	look, gc := time.NewTicker(time.Minute), time.NewTicker(d.gcEvery)
	defer look.Stop()
	defer gc.Stop()
	d.finishErasing()
	d.keepLimit()
	for {
		var work func()
		select {
		case <-d.stop:
			return
		case <-look.C:
			work = func() { d.restrict(); d.keepLimit(); d.trimMemory() }
		case <-d.grown:
			work = d.keepLimit
		case <-d.trim:
			work = d.trimMemory
		case <-gc.C:
			work = func() { d.collect(); d.eraseLogs() }
		case <-d.erase:
			work = func() { d.eraseLogs() }
		}
		if d.writes.wait() == nil && d.inPlace() {
			work()
		}
	}
}

// keepSynced syncs the logs a moment after checkpoints were written, until the store is closed. It
// is not a part of maintain: a slow disk takes seconds for a sync, in which the size limit must be
// kept too. What is written when the store is closed is synced by that.
func (d *diskBackend) keepSynced() {
	debug.SetPanicOnFault(true) // only for this goroutine
	failing := false
	for {
		select {
		case <-d.stop:
			return
		case <-d.unsynced:
		}
		select {
		case <-d.stop:
			return
		case <-time.After(d.syncAfter):
		}
		select {
		case <-d.unsynced: // written before this sync
		default:
		}
		err := d.sync()
		if failed := err != nil; failed != failing { // not once a second
			failing = failed
			if failed {
				d.log.Warn("the store cannot be synced: a power loss may lose what is written",
					"dir", d.dir, "error", err)
			} else {
				d.log.Info("the store can be synced again", "dir", d.dir)
			}
		}
	}
}

// collect rewrites the value logs that are mostly garbage, one after the other.
func (d *diskBackend) collect() {
	for {
		select {
		case <-d.stop:
			return
		default:
		}
		share, ok := d.garbageShare()
		if !ok {
			d.log.Warn("too little free space to collect the store's garbage", "dir", d.dir)
			return
		}
		switch err := d.collectOne(share); {
		case err == nil:
			d.count.gcRuns.Add(1)
		case errors.Is(err, badger.ErrNoRewrite), errors.Is(err, badger.ErrRejected):
			return
		default:
			d.log.Warn("collecting the store's garbage failed", "dir", d.dir, "error", err)
			return
		}
	}
}

// garbageShare returns how much of a log must be garbage for it to be rewritten:
// half, or more if there is little space to copy the live records.
func (d *diskBackend) garbageShare() (share float64, ok bool) {
	free, known := platform.FreeBytes(d.dir)
	for _, share := range []float64{0.5, 0.9} {
		need := uint64((1 - share) * float64(d.logFileBytes))
		if !known || free >= d.reserve/2+need {
			return share, true
		}
	}
	return 0, false
}

// restrict removes the permissions of others from files that Badger created with the
// process's umask, and from the directory unless it is shared on purpose.
func (d *diskBackend) restrict() {
	if runtime.GOOS == "windows" {
		return
	}
	paths, shared, err := badgerdir.Paths(d.dir)
	if err != nil {
		return
	}
	if !shared {
		d.restrictMode(d.dir, 0o700)
	}
	for _, path := range paths {
		d.restrictMode(path, 0o600)
	}
}

// restrictMode takes from others the rights to a file that its mode should not give them.
func (d *diskBackend) restrictMode(path string, to fs.FileMode) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&^to == 0 || info.Mode()&fs.ModeSticky != 0 {
		return
	}
	if err := os.Chmod(path, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("other users may read the store, and chmod failed", "path", path, "error", err)
	}
}
