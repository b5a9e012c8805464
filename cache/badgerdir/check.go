// Package badgerdir checks the directory of a store before Badger opens it, and repairs what can be
// repaired without losing a record. It never reads a record, and nobody may have the directory open
// meanwhile.
//
// Badger opens its tables on its own goroutines, where a damaged one panics or ends
// the process through log.Fatal: a caller cannot contain that, and it recurs at
// every start. (A table of zeros, as left by a power loss, is enough.) So a
// directory is checked before, as far as Badger trusts what it reads.
package badgerdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/dgraph-io/badger/v4"
)

// Magic marks a directory as one of our stores.
const Magic = 0x4b4c

// Check checks the directory of a store that is encrypted with key, if key is not empty. A *Damage
// means that the directory cannot be used; other errors, that it could not be checked.
func Check(dir string, key []byte) error {
	fl, err := listFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range fl.names { // rights show here rather than in Badger
		f, err := os.OpenFile(fl.path(name), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		f.Close()
	}
	if err := fl.removeEmpty(); err != nil {
		return err
	}
	manifest, err := fl.readManifest()
	if err != nil {
		return err
	}
	if err := fl.checkEncryption(manifest, key); err != nil {
		return err
	}
	for id, t := range manifest.Tables {
		name, ok := fl.tables[id]
		if !ok {
			return damaged(fmt.Sprintf("%06d.sst", id), "missing, though MANIFEST lists it")
		}
		if err := checkTable(fl.path(name), t.Compression, t.KeyID != 0); err != nil {
			return err
		}
	}
	for _, name := range fl.memtables {
		if err := trimLog(fl.path(name)); err != nil {
			return err
		}
	}
	if n := len(fl.logs); n > 0 {
		if err := trimLog(fl.path(fl.logs[n-1])); err != nil { // the only one that Badger replays
			return err
		}
	}
	return fl.checkDiscard()
}

// removeEmpty removes empty logs: a process was killed between creating and sizing
// one, or between emptying and removing it. Badger would reject the directory
// because of them.
func (fl *files) removeEmpty() error {
	for _, list := range []*[]string{&fl.memtables, &fl.logs} {
		kept := (*list)[:0]
		for _, name := range *list {
			info, err := os.Stat(fl.path(name))
			if err != nil {
				return err
			}
			if info.Size() > 0 {
				kept = append(kept, name)
			} else if err := os.Remove(fl.path(name)); err != nil {
				return err
			}
		}
		*list = kept
	}
	return nil
}

func (fl *files) readManifest() (m badger.Manifest, err error) {
	f, err := os.Open(fl.path(badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		if len(fl.tables) > 0 {
			return m, damaged(badger.ManifestFilename, "missing, though there are tables")
		}
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer f.Close()

	defer contain(&err, badger.ManifestFilename)
	m, _, err = badger.ReplayManifestFile(f, Magic, badger.Options{})
	if err == nil {
		return m, checkLevels(m)
	}
	// Programs that do not set a number have 0.
	if _, seekErr := f.Seek(0, io.SeekStart); seekErr == nil {
		if _, _, otherErr := badger.ReplayManifestFile(f, 0, badger.Options{}); otherErr == nil {
			return m, errors.New("it holds the database of another program")
		}
	}
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return m, err
	}
	return m, damaged(badger.ManifestFilename, "%v", err)
}

// checkLevels checks that Badger has the levels of the tables.
func checkLevels(m badger.Manifest) error {
	if levels := badger.DefaultOptions("").MaxLevels; len(m.Levels) > levels {
		return damaged(badger.ManifestFilename, "%d levels, want at most %d", len(m.Levels), levels)
	}
	return nil
}
