package badgerdir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// files are those of a directory that Badger knows, by kind.
type files struct {
	dir       string
	names     []string // all of them
	tables    map[uint64]string
	memtables []string
	logs      []string // value logs, oldest first
	others    []string // neither Badger's nor ours
}

// The names in a directory that are not Badger's alone to know.
const (
	ScratchPrefix = ".killick-" // what opening makes and removes
	// EraseFile marks that a value log may still hold deleted records.
	EraseFile = ScratchPrefix + "erase"
	LockFile  = "LOCK" // Badger's, with the number of the process that has the directory open

	asidePrefix  = "damaged-" // what was set aside inside the directory
	registryFile = badger.KeyRegistryFileName
	discardFile  = "DISCARD"
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
			badger.KeyRegistryRewriteFileName, discardFile, LockFile}, name):
		case strings.HasPrefix(name, ScratchPrefix), strings.HasPrefix(name, asidePrefix),
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

// Paths returns the files of a store in a directory. shared reports whether others are beside them.
func Paths(dir string) (paths []string, shared bool, err error) {
	fl, err := listFiles(dir)
	if err != nil {
		return nil, false, err
	}
	for _, name := range fl.names {
		paths = append(paths, fl.path(name))
	}
	return paths, len(fl.others) > 0, nil
}

// SetAside moves the files of a store out of its directory, which it leaves empty, and returns
// where they are. A directory with other files too is not moved.
func SetAside(dir string) (aside string, err error) {
	stamp := time.Now().UTC().Format("20060102T150405.000Z")
	fl, err := listFiles(dir)
	if err != nil {
		return "", err
	}
	aside = dir + ".damaged-" + stamp
	if len(fl.others) == 0 && os.Rename(dir, aside) == nil {
		return aside, os.MkdirAll(dir, 0o700)
	}
	aside = filepath.Join(dir, asidePrefix+stamp)
	if err := os.Mkdir(aside, 0o700); err != nil {
		return "", err
	}
	for _, name := range fl.names {
		if err := os.Rename(fl.path(name), filepath.Join(aside, name)); err != nil {
			return "", err
		}
	}
	return aside, nil
}
