package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/dgraph-io/badger/v4"

	"killick/cache/badgerdir"
	"killick/cache/platform"
)

// ErrLocked means that another process has the directory open.
var ErrLocked = errors.New("another process has it open")

// ErrEncryption means that the encryption of a directory differs from the
// configuration. The directory is left unchanged.
var ErrEncryption = badgerdir.ErrEncryption

// maxCalls bounds the running calls; a hung disk blocks as many goroutines.
const maxCalls = 64

// Open opens the store in o.Dir, or one in memory.
//
// A directory that is definitely damaged is renamed to <dir>.damaged-<UTC time> (if
// it cannot be renamed, as a mount point, its files are moved into a directory of
// that name inside it) and replaced by an empty one. That
// never happens for a lock that another process holds ([ErrLocked]), missing
// permissions ([fs.ErrPermission]), a full ([ErrNoSpace]) or read-only file system,
// or a store whose encryption differs ([ErrEncryption]): these are errors, and the
// directory is left unchanged.
func Open(o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{
		sealer:       newSealer(o.Secret),
		lookups:      newLookups(),
		ttl:          o.TTL,
		now:          o.Clock,
		slots:        make(chan struct{}, maxCalls),
		closeTimeout: o.closeTimeout,
	}
	if o.InMemory {
		s.backend = newMemory(o.maxMemory, &s.count)
		return s, nil
	}
	p := opener{Options: o, dir: filepath.Clean(o.Dir)}
	db, err := p.open()
	if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", o.Dir, advise(err))
	}
	s.recovered = p.recovered
	if db == nil {
		s.backend = newMemory(o.maxMemory, &s.count)
		return s, nil
	}
	s.timeout = o.Timeout
	s.backend = startDisk(db, p.Options, p.dir, &s.count)
	return s, nil
}

// Exists reports whether there is a store in dir.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, badger.ManifestFilename))
	return err == nil
}

// advise adds what to do about an error that only the operator can fix.
func advise(err error) error {
	const elsewhere = "or set cache.dir to another directory"
	switch {
	case errors.Is(err, ErrLocked):
		return fmt.Errorf("%w: stop that one, %s", err, elsewhere)
	case errors.Is(err, ErrNoSpace), errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: free some, %s", err, elsewhere)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: give the user of this process write permission, %s", err, elsewhere)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: mount it writable, %s", err, elsewhere)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w: move the file away, %s", err, elsewhere)
	}
	return err
}

// opener opens one directory.
type opener struct {
	Options
	dir       string // without symbolic links once open
	recovered string
}

// open returns nil and no error if only memory can be used: Badger panicked while
// it opened the directory, and what it started is still running and would work on
// the files of a new store in the same place.
func (p *opener) open() (*badger.DB, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	if err := p.checkDir(); err != nil {
		return nil, err
	}
	db, err := openBadger(p.Options, p.dir)
	if err == nil {
		return db, nil
	}
	// Badger's errors contain their causes as text only. So what can be checked is
	// checked again, and if it opens an empty directory in the same place, the files
	// are the cause.
	if errors.Is(err, badger.ErrEncryptionKeyMismatch) ||
		errors.Is(err, badger.ErrInvalidDataKeyID) {
		return nil, fmt.Errorf("%w: it is encrypted, and the key is not the right one",
			ErrEncryption)
	}
	unlock, lockErr := p.lock()
	if lockErr != nil {
		return nil, lockErr
	}
	defer unlock()
	if roomErr := p.checkRoom(); roomErr != nil {
		return nil, roomErr
	}
	if tryErr := p.tryEmpty(); tryErr != nil {
		return nil, tryErr
	}
	if asideErr := p.setAside(err); asideErr != nil {
		return nil, asideErr
	}
	if errors.Is(err, errCorrupt) {
		p.Logger.Error("the store is in memory only until the next start", "dir", p.dir)
		return nil, nil
	}
	return openBadger(p.Options, p.dir)
}

// prepare creates the directory and checks that it can be used.
func (p *opener) prepare() error {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(p.dir)
	if err != nil {
		return err
	}
	p.dir = dir
	probe, err := os.CreateTemp(p.dir, badgerdir.ScratchPrefix+"*")
	if err != nil {
		return err
	}
	err = writeSynced(probe, []byte("?"))
	if rmErr := os.Remove(probe.Name()); err == nil {
		err = rmErr
	}
	if err != nil {
		return err
	}
	return p.checkRoom()
}

func (p *opener) checkRoom() error {
	if free, ok := platform.FreeBytes(p.dir); ok && free < p.reserve {
		return fmt.Errorf("%w: %d MiB left on its file system, want %d",
			ErrNoSpace, free>>20, p.reserve>>20)
	}
	return nil
}

// checkDir checks the directory before Badger opens it, and sets it aside if it is
// damaged.
func (p *opener) checkDir() error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	err = badgerdir.Check(p.dir, p.EncryptionKey)
	var damage *badgerdir.Damage
	if errors.As(err, &damage) {
		return p.setAside(damage)
	}
	return err
}

func (p *opener) lock() (unlock func(), err error) {
	unlock, held, err := platform.Lock(p.dir)
	if !held {
		return unlock, err
	}
	pid, err := os.ReadFile(filepath.Join(p.dir, badgerdir.LockFile))
	if err == nil && len(pid) > 0 && len(pid) < 20 {
		return nil, fmt.Errorf("%w (pid %s)", ErrLocked, strings.TrimSpace(string(pid)))
	}
	return nil, ErrLocked
}

// tryEmpty opens and closes a new store in an empty directory in the same place.
func (p *opener) tryEmpty() error {
	dir, err := os.MkdirTemp(p.dir, badgerdir.ScratchPrefix+"*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := openBadger(p.Options, dir)
	if err != nil {
		return err
	}
	return db.Close()
}

// openBadger opens Badger, and turns panics into errors, including those for unreadable mapped
// pages.
func openBadger(o Options, dir string) (db *badger.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer contain(&err)
	return o.tuning.open(badgerOptions(o, dir))
}

// setAside moves the content of the directory away and leaves it empty.
func (p *opener) setAside(cause error) error {
	aside, err := badgerdir.SetAside(p.dir)
	if err != nil {
		return fmt.Errorf("setting it aside, because %w: %w", cause, err)
	}
	p.recovered = aside
	p.Logger.Error("the store was damaged: set aside, starting with an empty one",
		"dir", p.dir, "set_aside", aside, "cause", cause.Error())
	return nil
}
