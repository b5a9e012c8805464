package badgerdir

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	dir := newStore(t, nil)
	paths, shared, err := Paths(dir)
	if err != nil || shared || !slices.Contains(paths, filepath.Join(dir, "MANIFEST")) {
		t.Errorf("%v %t %v", paths, shared, err)
	}
	write(t, dir, ScratchPrefix+"x", "") // ours, and no file of a store
	if again, shared, _ := Paths(dir); shared || !slices.Equal(again, paths) {
		t.Errorf("with our own file: %v %t", again, shared)
	}
	write(t, dir, "notes.txt", "")
	if again, shared, _ := Paths(dir); !shared || !slices.Equal(again, paths) {
		t.Errorf("with another file: %v %t", again, shared)
	}
}

// Setting aside loses no file, and moves none of another program.
func TestSetAside(t *testing.T) {
	for _, shared := range []bool{false, true} {
		dir := newStore(t, nil)
		if shared {
			write(t, dir, "notes.txt", "kept")
		}
		before, _, err := Paths(dir)
		if err != nil {
			t.Fatal(err)
		}
		aside, err := SetAside(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range before {
			if _, err := os.Stat(filepath.Join(aside, filepath.Base(file))); err != nil {
				t.Error(err)
			}
		}
		if left, _, err := Paths(dir); err != nil || len(left) > 0 {
			t.Errorf("shared %t: %v %v are left", shared, left, err)
		}
		if inside := strings.HasPrefix(aside, dir+string(filepath.Separator)); inside != shared {
			t.Errorf("shared %t: set aside in %s", shared, aside)
		}
		_, err = os.ReadFile(filepath.Join(dir, "notes.txt"))
		if (err == nil) != shared {
			t.Errorf("shared %t: the other file: %v", shared, err)
		}
	}
}
