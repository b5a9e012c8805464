package badgerdir

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// newStore returns the directory of a closed store with a table and a value log. change may be nil.
func newStore(t *testing.T, change func(*badger.Options)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	o := badger.DefaultOptions(dir).WithLogger(nil).WithCompression(options.None).
		WithValueThreshold(1 << 10).WithValueLogFileSize(1 << 20).WithMemTableSize(1 << 20).
		WithExternalMagic(Magic)
	if change != nil {
		change(&o)
	}
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if err := db.Update(func(txn *badger.Txn) error {
			return txn.Set(fmt.Append(nil, "key", i), bytes.Repeat([]byte("v"), 50*i))
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// only returns the one file of a directory that matches a pattern.
func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v, want one file", pattern, found, err)
	}
	return found[0]
}

// edit changes the content of a file.
func edit(t *testing.T, file string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
