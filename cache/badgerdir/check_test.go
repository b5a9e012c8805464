package badgerdir

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
)

func TestSoundDirectoriesPass(t *testing.T) {
	key := bytes.Repeat([]byte("k"), 32)
	encrypt := func(o *badger.Options) {
		o.EncryptionKey, o.BlockCacheSize, o.IndexCacheSize = key, 1<<20, 1<<20
	}
	for name, c := range map[string]struct {
		dir string
		key []byte
	}{
		"an empty one":     {dir: t.TempDir()},
		"a plain one":      {dir: newStore(t, nil)},
		"an encrypted one": {dir: newStore(t, encrypt), key: key},
	} {
		if err := Check(c.dir, c.key); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What cannot be repaired is named with its file, before Badger could panic over it.
func TestDamageIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(t *testing.T, dir string)
		want string
	}{
		"no manifest": {func(t *testing.T, dir string) { os.Remove(only(t, dir, "MANIFEST")) },
			"MANIFEST: missing, though there are tables"},
		"a manifest that ends in no entry": {func(t *testing.T, dir string) {
			edit(t, only(t, dir, "MANIFEST"), func(d []byte) []byte {
				d[len(d)-1] ^= 1
				return d
			})
		}, "MANIFEST: "},
		"no table": {func(t *testing.T, dir string) { os.Remove(only(t, dir, "*.sst")) },
			"000001.sst: missing, though MANIFEST lists it"},
		"a table of zeros": {func(t *testing.T, dir string) {
			edit(t, only(t, dir, "*.sst"), func(d []byte) []byte { clear(d); return d })
		}, "000001.sst: an index of 0 bytes"},
		"a table cut short": {func(t *testing.T, dir string) {
			edit(t, only(t, dir, "*.sst"), func(d []byte) []byte { return d[:3] })
		}, "000001.sst: 3 bytes without an end that makes sense"},
		"a bit in a block": {func(t *testing.T, dir string) {
			edit(t, only(t, dir, "*.sst"), func(d []byte) []byte { d[10] ^= 1; return d })
		}, "000001.sst: block 0 does not match its checksum"},
	} {
		dir := newStore(t, nil)
		c.harm(t, dir)
		err := Check(dir, nil)
		var damage *Damage
		if !errors.As(err, &damage) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want the damage %q", name, err, c.want)
		}
	}
}

// A directory that is sound but not ours, or not for this key, is not damaged: nothing may be set
// aside then.
func TestOtherDirectoriesAreNotDamaged(t *testing.T) {
	key := bytes.Repeat([]byte("k"), 32)
	foreign := newStore(t, func(o *badger.Options) { o.ExternalMagicVersion = 0 })
	encrypted := newStore(t, func(o *badger.Options) {
		o.EncryptionKey, o.BlockCacheSize, o.IndexCacheSize = key, 1<<20, 1<<20
	})
	misnamed, folder := newStore(t, nil), newStore(t, nil)
	write(t, misnamed, "1.sst", "")
	if err := os.Mkdir(filepath.Join(folder, "000009.vlog"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dir        string
		key        []byte
		want       string
		encryption bool
	}{
		"another program's": {dir: foreign, want: "the database of another program"},
		"no key":            {dir: encrypted, want: "no key was given", encryption: true},
		"another key": {dir: encrypted, key: bytes.Repeat([]byte("x"), 32),
			want: "encrypted with another key", encryption: true},
		"a key for a plain one": {dir: newStore(t, nil), key: key,
			want: "records that are not encrypted", encryption: true},
		"a file with such a name":   {dir: misnamed, want: "is not the name of a store's file"},
		"a folder with such a name": {dir: folder, want: "is not a regular file"},
	} {
		err := Check(c.dir, c.key)
		var damage *Damage
		if err == nil || errors.As(err, &damage) || !strings.Contains(err.Error(), c.want) ||
			errors.Is(err, ErrEncryption) != c.encryption {
			t.Errorf("%s: %v, want no damage, but %q", name, err, c.want)
		}
	}
}

// Badger refuses a directory with empty logs, as a killed process leaves them.
func TestEmptyLogsAreRemoved(t *testing.T) {
	dir := newStore(t, nil)
	for _, name := range []string{"00009.mem", "000009.vlog"} {
		write(t, dir, name, "")
	}
	if err := Check(dir, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"00009.mem", "000009.vlog"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v, want it removed", name, err)
		}
	}
}

// A log is cut where a header has lengths that no entry can have, and not a byte before.
func TestLogsAreCutAtImpossibleEntries(t *testing.T) {
	entry := []byte{0, 0, 1, 2, 0, 'k', 'v', 'v', 1, 2, 3, 4} // meta, lengths, expiry, data, sum
	overflow := binary.AppendUvarint([]byte{0, 0}, 1<<63)
	overflow = append(binary.AppendUvarint(overflow, 1<<63), 0)
	tooLong := append([]byte{0, 0}, bytes.Repeat([]byte{0xff}, 12)...)
	for name, c := range map[string]struct {
		end []byte
		cut bool
	}{
		"lengths that overflow": {overflow, true},
		"a number too long":     {tooLong, true},
		"an entry cut short":    {entry[:9], false}, // Badger cuts there itself
		"zeros":                 {make([]byte, 64), false},
		"nothing":               {nil, false},
	} {
		log := append(make([]byte, logHeaderBytes), entry...)
		whole := len(log)
		file := write(t, t.TempDir(), "000001.vlog", string(append(log, c.end...)))
		if err := trimLog(file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := whole + len(c.end)
		if c.cut {
			want = whole
		}
		if info, err := os.Stat(file); err != nil || info.Size() != int64(want) {
			t.Errorf("%s: %v %v, want %d bytes", name, info, err, want)
		}
	}
}

// A table of garbage that cannot be right, or that may lack counts, is replaced by one that names
// every log as all garbage, so that each is gone through once.
func TestDiscardTable(t *testing.T) {
	sound := make([]byte, discardBytes)
	binary.BigEndian.PutUint64(sound, 1)
	binary.BigEndian.PutUint64(sound[8:], 100)
	twice := bytes.Clone(sound)
	copy(twice[16:], sound[:16])
	for name, c := range map[string]struct {
		table []byte
		erase bool
		kept  bool
	}{
		"sound":           {table: sound, kept: true},
		"a log twice":     {table: twice},
		"short":           {table: sound[:100]},
		"sound, to erase": {table: sound, erase: true},
	} {
		dir := newStore(t, nil)
		file := write(t, dir, discardFile, string(c.table))
		if c.erase {
			write(t, dir, EraseFile, "")
		}
		if err := Check(dir, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, err := os.ReadFile(file)
		switch {
		case err != nil:
			t.Error(err)
		case bytes.Equal(got, c.table) != c.kept:
			t.Errorf("%s: kept is not %t", name, c.kept)
		case !c.kept && (binary.BigEndian.Uint64(got) != 1 ||
			binary.BigEndian.Uint64(got[8:]) != maxDiscard):
			t.Errorf("%s: begins with %x", name, got[:16])
		}
	}
}
