package cache

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"killick/cache/badgerdir"
	"killick/cache/platform"
)

// writeCheck waits for a disk that hangs, or for a file system that is frozen for a snapshot.
// Badger writes to mapped files. There such a write blocks a thread that Go's runtime cannot
// interrupt, and at the next garbage collection the whole process waits for it. A system call
// blocks no other thread. So one writes a byte first.
type writeCheck struct {
	dir   string
	write func() error // returns once the file system takes writes, or refuses them
	busy  chan struct{}
	file  *os.File // without a name; nil if there is none
}

func newWriteCheck(dir string) *writeCheck {
	r := &writeCheck{dir: dir, write: func() error { return nil }, busy: make(chan struct{}, 1)}
	file, err := platform.Anonymous(dir, badgerdir.ScratchPrefix+"*")
	if err != nil || file == nil {
		return r
	}
	write := func() error {
		_, err := file.WriteAt([]byte{0}, 0)
		return err
	}
	if r.file = file; write() == nil { // from now on the byte has its place
		r.write = write
	}
	return r
}

// writeCheckTimeout is how long a write waits for another one that is waiting for the disk, and so
// occupies a thread.
const writeCheckTimeout = time.Second

// wait returns nil once the file system takes writes, ErrTimeout if another call waits for that,
// and otherwise why it does not, such as after an error of the disk, when Linux makes a file system
// read-only although files may be created by its flags.
func (r *writeCheck) wait() error {
	select {
	case r.busy <- struct{}{}:
	default:
		select {
		case r.busy <- struct{}{}:
		case <-time.After(writeCheckTimeout):
			return ErrTimeout
		}
	}
	defer func() { <-r.busy }()
	err := r.write()
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	case err != nil:
		return fmt.Errorf("%s can no longer be written: %w", r.dir, errors.Unwrap(err))
	}
	return nil
}

func (r *writeCheck) close() {
	if r.file != nil {
		_ = r.file.Close() // it has no content
	}
}
