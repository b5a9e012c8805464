package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dgraph-io/badger/v4"
)

// Badger opens its tables on its own goroutines, where a damaged one panics or ends
// the process through log.Fatal: a caller cannot contain that, and it recurs at
// every start. (A table of zeros, as left by a power loss, is enough.) So a
// directory is inspected before Badger opens it, as far as Badger trusts what it
// reads.

// damageError is definite damage of a directory.
type damageError struct{ file, what string }

func (e *damageError) Error() string { return e.file + ": " + e.what }

func damaged(file, format string, args ...any) error {
	return &damageError{file, fmt.Sprintf(format, args...)}
}

// files are those of a directory that Badger knows, by kind.
type files struct {
	dir       string
	names     []string // all of them
	tables    map[uint64]string
	memtables []string
	logs      []string // value logs, oldest first
	others    []string // neither Badger's nor ours
}

const (
	scratchPrefix = ".killick-" // what opening makes and removes
	asidePrefix   = "damaged-"  // what was set aside inside the directory

	registryFile = badger.KeyRegistryFileName
	discardFile  = "DISCARD"
	lockFile     = "LOCK"
)

func listFiles(dir string) (files, error) {
	fl := files{dir: dir, tables: map[uint64]string{}}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return fl, err
	}
	for _, e := range entries {
		name, ext := e.Name(), filepath.Ext(e.Name())
		switch {
		case ext == ".sst", ext == ".mem", ext == ".vlog":
			id, err := strconv.ParseUint(strings.TrimSuffix(name, ext), 10, 32)
			width := map[string]int{".sst": 6, ".mem": 5, ".vlog": 6}[ext]
			if err != nil || name != fmt.Sprintf("%0*d%s", width, id, ext) {
				return fl, fmt.Errorf("%s is not the name of a store's file: move it away",
					filepath.Join(dir, name))
			}
			switch ext {
			case ".sst":
				fl.tables[id] = name
			case ".mem":
				fl.memtables = append(fl.memtables, name)
			case ".vlog":
				fl.logs = append(fl.logs, name)
			}
		case slices.Contains([]string{badger.ManifestFilename, "MANIFEST-REWRITE", registryFile,
			badger.KeyRegistryRewriteFileName, discardFile, lockFile}, name):
		case strings.HasPrefix(name, scratchPrefix), strings.HasPrefix(name, asidePrefix),
			name == "lost+found":
			continue
		default:
			fl.others = append(fl.others, name)
			continue
		}
		if !e.Type().IsRegular() {
			return fl, fmt.Errorf("%s is not a regular file", filepath.Join(dir, name))
		}
		fl.names = append(fl.names, name)
	}
	slices.SortStableFunc(fl.logs, func(a, b string) int { return len(a) - len(b) })
	return fl, nil
}

func (fl *files) path(name string) string { return filepath.Join(fl.dir, name) }

// inspect checks a directory while nobody has it open. It repairs what can be
// repaired without losing a record. A *damageError means that the directory cannot
// be used; other errors, that it could not be inspected.
func inspect(dir string, key []byte) error {
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

	defer func() {
		if p := recover(); p != nil {
			err = damaged(badger.ManifestFilename, "%v", panicked(p))
		}
	}()
	m, _, err = badger.ReplayManifestFile(f, storeMagic, badger.Options{})
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

// checkEncryption checks a store against the given key: a store with another key is
// not damaged. The registry of a plain store holds nothing: a damaged one is removed
// for Badger to recreate.
func (fl *files) checkEncryption(m badger.Manifest, key []byte) error {
	keyed, filled, err := fl.keyedFile(m)
	if err != nil {
		return err
	}
	registry, err := os.ReadFile(fl.path(registryFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	whole := len(registry) >= registryVector+len(registryText)
	plain := whole && bytes.HasPrefix(registry[registryVector:], []byte(registryText))
	switch {
	case plain && keyed != "":
		return damaged(keyed, "names an encryption key in a store that has none")
	case keyed != "" && !whole:
		return damaged(registryFile, "%d bytes, too short, and the store is encrypted",
			len(registry))
	case keyed != "" && len(key) == 0:
		return fmt.Errorf("%w: it is encrypted, and no key was given: "+
			"set cache.encryption_key_file", ErrEncryption)
	case keyed != "" && !registryKnows(registry, key):
		return fmt.Errorf("%w: it is encrypted with another key: "+
			"set cache.encryption_key_file to the file with that one", ErrEncryption)
	case keyed != "":
		return checkRegistry(registry)
	case filled && len(key) > 0:
		return fmt.Errorf("%w: a key is given, and it holds records that are not encrypted: "+
			"remove the directory (it is a cache, nothing is lost but time), "+
			"or leave out cache.encryption_key_file", ErrEncryption)
	case plain && len(key) == 0, registryKnows(registry, key):
		return nil
	}
	err = os.Remove(fl.path(registryFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// keyedFile returns a file that names an encryption key, "" if none does; filled
// reports whether there is one that names none.
func (fl *files) keyedFile(m badger.Manifest) (keyed string, filled bool, err error) {
	for id, t := range m.Tables {
		if t.KeyID != 0 {
			keyed = fl.tables[id]
		} else {
			filled = true
		}
	}
	for _, name := range slices.Concat(fl.memtables, fl.logs) {
		head := make([]byte, 8)
		f, err := os.Open(fl.path(name))
		if err != nil {
			return "", false, err
		}
		_, err = io.ReadFull(f, head)
		f.Close()
		switch {
		case err == nil && binary.BigEndian.Uint64(head) != 0:
			keyed = name
		case err == nil:
			filled = true
		case !errors.Is(err, io.ErrUnexpectedEOF):
			return "", false, err
		}
	}
	return keyed, filled, nil
}

// checkRegistry checks the lengths in a registry against its size: Badger allocates
// by them. Each data key follows its length and a checksum.
func checkRegistry(registry []byte) error {
	rest := registry[registryVector+len(registryText):]
	for len(rest) > 0 {
		const head = 8
		if len(rest) < head {
			return damaged(registryFile, "%d bytes at its end make no sense", len(rest))
		}
		length := uint64(binary.BigEndian.Uint32(rest))
		if length > uint64(len(rest)-head) {
			return damaged(registryFile, "a data key of %d bytes in %d", length, len(rest)-head)
		}
		if crc32.Checksum(rest[head:head+length], castagnoli) != binary.BigEndian.Uint32(rest[4:]) {
			return damaged(registryFile, "a data key does not match its checksum")
		}
		rest = rest[head+length:]
	}
	return nil
}
