package cache

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestModes opens a store in a directory that others may read, under a umask
// that lets them.
func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := mustOpen(t, small(dir))
	sm := newSample()
	sm.put(t, s, 0, len(sm.keys))
	s.backend.(*diskBackend).restrict()
	modes(t, dir)
	mustClose(t, s)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, small(dir))
	modes(t, dir)
	mustClose(t, s)
}

func modes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if perm := info.Mode().Perm(); perm&0o077 != 0 {
			t.Errorf("%s has mode %o", e.Name(), perm)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
