package cache

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"killick/cache/platform"
)

// resident returns how many bytes of a store's files are in memory.
func resident(t *testing.T, dir string) (n int64) {
	t.Helper()
	list, err := platform.Mappings(dir)
	if err != nil {
		t.Skip(err)
	}
	for _, m := range list {
		n += m.Resident
	}
	return n
}

// TestMemoryDoesNotGrowWithLogs writes and reads three times residentLimit. Pages are
// released, and every value can still be read.
func TestMemoryDoesNotGrowWithLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	const pageOut = 21 // MADV_PAGEOUT
	page, err := syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Munmap(page) }()
	if err := syscall.Madvise(page, pageOut); errors.Is(err, syscall.EINVAL) {
		t.Skip("this kernel does not give up pages")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, Options{Dir: dir, Timeout: time.Minute})
	d := s.backend.(*diskBackend)
	const size = 1 << 20
	const values = 3 * residentLimit / size
	value := noise(1, size)
	for i := range values {
		if err := putOriginal(background, s, "who", fmt.Sprint(i), value); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.db.Sync(); err != nil { // pages that are not on disk may stay
		t.Fatal(err)
	}
	trimmed := func() bool {
		d.trim <- struct{}{}
		return resident(t, dir) <= residentLimit
	}
	waitFor(t, trimmed)
	for i := range values {
		got, err := s.Original(background, "who", fmt.Sprint(i))
		if err != nil || !bytes.Equal(got, value) {
			t.Fatalf("value %d: %d bytes, %v", i, len(got), err)
		}
		if n := resident(t, dir); n > 2*residentLimit {
			t.Fatalf("%d MiB are in memory, want at most %d", n>>20, 2*residentLimit>>20)
		}
	}
	waitFor(t, trimmed)
	if n := s.Stats(); n.Corrupt != 0 || n.Failures != 0 {
		t.Errorf("%+v", n)
	}
}
