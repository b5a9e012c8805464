package cache

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A store whose directory was replaced by that of another process changes nothing in it, not even
// when it is closed.
func TestFolderReplaced(t *testing.T) {
	o := Options{Dir: filepath.Join(t.TempDir(), "store"), Timeout: time.Minute}
	old := mustOpen(t, o)
	if _, err := old.Put(background, []Key{randomKey()}, 0, []byte("a form")); err != nil {
		t.Fatal(err)
	}
	aside := o.Dir + "-aside"
	if err := os.Rename(o.Dir, aside); err != nil {
		t.Fatal(err)
	}
	s, key := mustOpen(t, o), randomKey()
	if _, err := s.Put(background, []Key{key}, 0, []byte("of the new one")); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, o.Dir)
	const says = "was replaced while it was in use"
	_, err := old.Put(background, []Key{randomKey()}, 0, []byte("another"))
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("writing: %v", err)
	}
	if _, err := old.ForgetAll(background); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("deleting: %v", err)
	}
	if err := old.Close(); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("closing: %v", err)
	}
	if after := filesIn(t, o.Dir); !slices.Equal(after, before) {
		t.Errorf("the new directory has the files %q, want %q", after, before)
	}
	mustClose(t, s)
	s = mustOpen(t, o)
	found, _, err := s.Find(background, []Key{key}, nil)
	if err != nil || found == nil || string(found.Value) != "of the new one" {
		t.Errorf("reading: %v, %v", found, err)
	}
	mustClose(t, s)
	// The process would end here. Badger closes if its directory is there.
	if err := errors.Join(os.RemoveAll(o.Dir), os.Rename(aside, o.Dir),
		old.backend.(*diskBackend).db.Close()); err != nil {
		t.Fatal(err)
	}
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
