//go:build !linux && !darwin && !freebsd

package platform

import (
	"io/fs"
	"os"
)

// Lock cannot check the lock here; Badger's own lock guards the directory once
// it is open.
func Lock(string) (unlock func(), held bool, err error) { return func() {}, false, nil }

// Anonymous returns nil: an open file cannot be removed here.
func Anonymous(string, string) (*os.File, error) { return nil, nil }

// FreeBytes cannot tell here how much may still be written.
func FreeBytes(string) (n uint64, ok bool) { return 0, false }

// MayCreateIn can only tell whether dir is there.
func MayCreateIn(dir string) error {
	_, err := os.Stat(dir)
	return err
}

// DiskBytes returns the length of a file.
func DiskBytes(info fs.FileInfo) int64 { return info.Size() }
