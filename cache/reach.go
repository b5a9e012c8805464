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

// reach is how a disk backend waits for a disk that hangs, or for a file system that is frozen for
// a snapshot. Badger writes to mapped files. There such a write blocks a thread that Go's runtime
// cannot interrupt, and at the next garbage collection the whole process waits for it. A system
// call blocks nobody else. So a byte is written by one first.
type reach struct {
	dir   string
	write func() error // returns once the file system takes writes, or refuses them
	busy  chan struct{}
	file  *os.File // without a name; nil if there is none
}

func newReach(dir string) *reach {
	r := &reach{dir: dir, write: func() error { return nil }, busy: make(chan struct{}, 1)}
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

// reachPause is how long a write waits for another one that waits for the disk, and so occupies a
// thread.
const reachPause = time.Second

// await returns nil once the file system takes writes, ErrTimeout if another call waits for that,
// and otherwise why it does not, such as after an error of the disk, when Linux makes a file system
// read-only although files may be created by its flags.
func (r *reach) await() error {
	select {
	case r.busy <- struct{}{}:
	default:
		select {
		case r.busy <- struct{}{}:
		case <-time.After(reachPause):
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

func (r *reach) close() {
	if r.file != nil {
		_ = r.file.Close() // it has no content
	}
}
