//go:build linux || darwin || freebsd

package platform

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Lock takes the lock that Badger takes on an open directory, so that nobody
// opens it during the inspection. It reports held if somebody has it.
func Lock(dir string) (unlock func(), held bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, true, nil
		}
		return nil, false, &fs.PathError{Op: "flock", Path: dir, Err: err}
	}
	return func() { f.Close() }, false, nil
}

// Anonymous returns a file in the file system of dir that is removed already.
func Anonymous(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// FreeBytes returns how much an unprivileged writer may still write in dir.
func FreeBytes(dir string) (n uint64, ok bool) {
	var st syscall.Statfs_t
	for {
		err := syscall.Statfs(dir, &st)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		blocks := int64(st.Bavail) // negative if only root's reserve is left
		return uint64(max(blocks, 0)) * uint64(st.Bsize), err == nil
	}
}

// MayCreateIn returns why the user of this process may not create files in dir.
func MayCreateIn(dir string) error {
	const write, search = 2, 1
	for {
		if err := syscall.Access(dir, write|search); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// DiskBytes returns what a file takes on disk; Badger's logs are sparse.
func DiskBytes(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}
