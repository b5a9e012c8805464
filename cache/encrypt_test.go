package cache

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"killick/cache/badgerdir"
)

var (
	oneKey     = bytes.Repeat([]byte{1}, 32)
	anotherKey = bytes.Repeat([]byte{2}, 16)
)

func encrypted(dir string, key []byte) Options {
	o := small(dir)
	o.EncryptionKey = key
	return o
}

// holding returns the files of a directory that contain a text.
func holding(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed in the meantime
		}
		if bytes.Contains(content, []byte(text)) {
			files = append(files, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestEncryptedFilesHoldNoText writes values that are in tables, write-ahead
// logs and value logs. Without a key the text is found, which shows that the search
// works.
func TestEncryptedFilesHoldNoText(t *testing.T) {
	for _, c := range []struct {
		name string
		key  []byte
	}{
		{"plain", nil}, {"AES-128", anotherKey},
		{"AES-192", bytes.Repeat([]byte{3}, 24)}, {"AES-256", oneKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := encrypted(t.TempDir(), c.key)
			sm := newSample()
			s := mustOpen(t, o)
			// More than a memtable: Badger panics at the first flush without caches.
			sm.put(t, s, 0, len(sm.keys))
			if n := sm.check(t, s); n != len(sm.keys) {
				t.Errorf("%d of %d values found", n, len(sm.keys))
			}
			for _, state := range []string{"while it is open", "once it is closed"} {
				found := holding(t, o.Dir, "value 14")
				if (len(found) == 0) != (c.key != nil) {
					t.Errorf("%s: the text is in %q", state, found)
				}
				if state == "while it is open" {
					mustClose(t, s)
				}
			}
			s = mustOpen(t, o)
			if n := sm.check(t, s); n != len(sm.keys) {
				t.Errorf("after a restart %d of %d values found", n, len(sm.keys))
			}
			mustClose(t, s)
		})
	}
}

// TestEncryptionOtherwise opens stores with wrong keys. The stores must not change.
func TestEncryptionOtherwise(t *testing.T) {
	for _, c := range []struct {
		name      string
		is, asked []byte
		want      string
	}{
		{name: "another key", is: oneKey, asked: anotherKey, want: "encrypted with another key"},
		{name: "no key", is: oneKey, want: "no key was given"},
		{name: "a key for a plain store", asked: oneKey, want: "not encrypted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			sm := newSample()
			s := mustOpen(t, encrypted(dir, c.is))
			sm.put(t, s, 0, len(sm.keys))
			mustClose(t, s)
			check := unchanged(t, dir)
			_, err := Open(encrypted(dir, c.asked))
			if !errors.Is(err, ErrEncryption) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			check()
			s = mustOpen(t, encrypted(dir, c.is))
			if n := sm.check(t, s); n != len(sm.keys) {
				t.Errorf("%d of %d values left", n, len(sm.keys))
			}
			mustClose(t, s)
		})
	}
}

func TestRotateKey(t *testing.T) {
	dir := t.TempDir()
	o := encrypted(dir, oneKey)
	sm := newSample()
	s := mustOpen(t, o)
	sm.put(t, s, 0, len(sm.keys)/2)
	if err := RotateKey(dir, oneKey, anotherKey); !errors.Is(err, ErrLocked) {
		t.Errorf("while it is open: %v, want ErrLocked", err)
	}
	mustClose(t, s)

	check := unchanged(t, dir)
	if err := RotateKey(dir, anotherKey, oneKey); !errors.Is(err, ErrEncryption) {
		t.Errorf("with a wrong key: %v, want ErrEncryption", err)
	}
	if err := RotateKey(dir, oneKey, []byte("short")); err == nil {
		t.Error("a key of 5 bytes was taken")
	}
	check()

	if err := RotateKey(dir, oneKey, anotherKey); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); !errors.Is(err, ErrEncryption) {
		t.Errorf("the old key: %v, want ErrEncryption", err)
	}
	o.EncryptionKey = anotherKey
	s = mustOpen(t, o)
	if n := sm.check(t, s); n != len(sm.keys)/2 {
		t.Errorf("%d of %d values left", n, len(sm.keys)/2)
	}
	sm.put(t, s, len(sm.keys)/2, len(sm.keys))
	mustClose(t, s)
	if s = mustOpen(t, o); sm.check(t, s) != len(sm.keys) {
		t.Error("what was written after the change is not there")
	}
	mustClose(t, s)
}

// TestDataKeysRotate makes data keys so short-lived that new files get new ones, and
// reads data encrypted with the old ones.
func TestDataKeysRotate(t *testing.T) {
	o := encrypted(t.TempDir(), oneKey)
	o.keyEvery = time.Nanosecond
	sm := newSample()
	for i := range 3 {
		s := mustOpen(t, o)
		sm.put(t, s, i*50, (i+1)*50)
		if n := sm.check(t, s); n != (i+1)*50 {
			t.Errorf("%d of %d values found", n, (i+1)*50)
		}
		mustClose(t, s)
	}
	registry, err := os.ReadFile(filepath.Join(o.Dir, badger.KeyRegistryFileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := badgerdir.Check(o.Dir, oneKey); err != nil {
		t.Error(err)
	}
	if keys := len(registry) / (8 + 32); keys < 3 { // a length, a checksum, and a key at least
		t.Errorf("a registry of %d bytes for three rounds", len(registry))
	}
}

// TestDamagedRegistry cuts and flips the file with the data keys. A store that
// cannot be read any more is set aside; the process goes on.
func TestDamagedRegistry(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut in the head": func(b []byte) []byte { return b[:10] },
		"cut in a key":    func(b []byte) []byte { return b[:len(b)-3] },
		"a length flipped": func(b []byte) []byte {
			b[16+len("Hello Badger")] ^= 0x7f // behind a vector and an encrypted text
			return b
		},
		"a key flipped": func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
	} {
		t.Run(name, func(t *testing.T) {
			o := encrypted(t.TempDir()+"/store", oneKey)
			sm := newSample()
			s := mustOpen(t, o)
			sm.put(t, s, 0, 20)
			mustClose(t, s)
			path := filepath.Join(o.Dir, badger.KeyRegistryFileName)
			registry, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(registry), 0o600); err != nil {
				t.Fatal(err)
			}
			s = mustOpen(t, o)
			if s.recovered == "" || sm.check(t, s) != 0 {
				t.Errorf("set aside in %q", s.recovered)
			}
			mustClose(t, s)
		})
	}
}

func TestLoadKey(t *testing.T) {
	raw := []byte("\x00\x01 sixteen bytes")[:16]
	for _, c := range []struct {
		name, content string
		mode          fs.FileMode
		want          []byte // nil: refused
	}{
		{name: "hexadecimal", content: hex.EncodeToString(oneKey) + "\n", want: oneKey},
		{name: "base64", content: base64.StdEncoding.EncodeToString(oneKey) + "\n", want: oneKey},
		{name: "base64 without its end", content: base64.RawURLEncoding.EncodeToString(anotherKey),
			want: anotherKey},
		{name: "raw", content: string(raw), want: raw},
		{name: "raw with a line's end", content: "this is a key of 32 bytes, truly\n",
			want: []byte("this is a key of 32 bytes, truly")},
		{name: "too short", content: "hunter2"},
		{name: "empty"},
		{name: "open to everybody", content: hex.EncodeToString(oneKey), mode: 0o644},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if c.mode != 0 {
				if err := os.Chmod(path, c.mode); err != nil {
					t.Fatal(err)
				}
			}
			got, err := LoadKey(path)
			if !bytes.Equal(got, c.want) || (err == nil) != (c.want != nil) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
			if err != nil && c.content != "" &&
				strings.Contains(err.Error(), strings.TrimSpace(c.content)) {
				t.Errorf("the error quotes the key: %v", err)
			}
		})
	}
	if _, err := LoadKey(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
