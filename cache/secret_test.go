package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestLoadSecretMakesOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "store.secret")
	const starters = 8
	secrets := make([]Secret, starters)
	var all sync.WaitGroup
	for i := range secrets {
		all.Go(func() {
			var err error
			if secrets[i], err = LoadSecret(path); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, s := range secrets {
		if s != secrets[0] || s == (Secret{}) {
			t.Fatal("starters disagree about the secret")
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%d files beside it, %v", len(left), err)
	}
}

func TestLoadSecretRefuses(t *testing.T) {
	good := strings.Repeat("k", 32)
	for _, c := range []struct {
		name, content string
		mode          os.FileMode
		want          string // in the error; "" for none
	}{
		{"operator's own", good, 0o600, ""},
		{"group may read", good, 0o640, ""},
		{"short", good[1:], 0o600, "31 bytes, want at least 32"},
		{"empty", "", 0o600, "0 bytes"},
		{"space does not count", good[1:] + "\r\n \n", 0o600, "31 bytes"},
		{"world-readable", good, 0o644, "chmod 600"},
		{"a log by mistake", strings.Repeat(good, 10000), 0o600, "right file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(path, []byte(c.content), c.mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, c.mode); err != nil {
				t.Fatal(err)
			}
			_, err := LoadSecret(path)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q in it", err, c.want)
			case err != nil && (strings.Contains(err.Error(), "kkk") ||
				!strings.Contains(err.Error(), path)):
				t.Errorf("%v quotes the secret or does not name the file", err)
			}
		})
	}
	if _, err := LoadSecret(t.TempDir()); err == nil {
		t.Error("a directory taken for a secret")
	}
	path := filepath.Join(t.TempDir(), "secret")
	for _, content := range []string{good, good + "\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := LoadSecret(path); err != nil || s.Who("x") != mustSecret(t, good).Who("x") {
			t.Errorf("%q gives another secret, %v", content, err)
		}
	}
}

func mustSecret(t *testing.T, content string) Secret {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := LoadSecret(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKeyedHashesAreStable checks that the hashes match those in existing stores.
func TestKeyedHashesAreStable(t *testing.T) {
	s := mustSecret(t, strings.Repeat("k", 32))
	key := s.Chain(Scope{Who: "w", Upstream: "u", Policy: "p"}, nil)[0]
	use, other := s.Key("use"), s.Key("other")
	got := fmt.Sprintf("%s %s %x %x",
		s.Who("key", "org"), s.Ref("w", []byte("content")), key[ownerBytes:][:8], use[:8])
	const want = "ug2fpd6esuzptuykph3wsbrk2dv6n24r mguy6hzbunodt7ia 316620b94d6ac50c " +
		"839c4be332507de9"
	if use == other {
		t.Error("two uses have one key")
	}
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestIdentitySeparatesParts(t *testing.T) {
	s := NewSecret()
	seen := map[string][]string{}
	for _, parts := range [][]string{
		nil, {""}, {"", ""}, {"a", "bc"}, {"ab", "c"}, {"abc"}, {"abc", ""}, {"", "abc"},
		{"\x03abc"}, {"a", "b", "c"},
	} {
		who := s.Who(parts...)
		if other, ok := seen[who]; ok {
			t.Errorf("%q and %q are one", parts, other)
		}
		seen[who] = parts
		if len(who) != 32 || strings.Trim(who, "abcdefghijklmnopqrstuvwxyz234567") != "" {
			t.Errorf("%q: %q, want 32 letters and digits", parts, who)
		}
	}
	if s.Who("a") == NewSecret().Who("a") {
		t.Error("the secret does not matter")
	}
}

func TestRef(t *testing.T) {
	s := NewSecret()
	ref := s.Ref("who", []byte("content"))
	if len(ref) != 16 || strings.Trim(ref, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		t.Errorf("ref %q, want 16 letters and digits", ref)
	}
	for _, other := range []string{
		s.Ref("who", []byte("content ")), s.Ref("wh", []byte("ocontent")),
		s.Ref("", []byte("content")), NewSecret().Ref("who", []byte("content")),
	} {
		if other == ref {
			t.Error("one ref for two things")
		}
	}
	if s.Ref("who", []byte("content")) != ref {
		t.Error("two refs for one thing")
	}
}

func TestSecretHidesItself(t *testing.T) {
	s := mustSecret(t, strings.Repeat("k", 32))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, v := range []any{s, &s, Options{Secret: s}} {
			if text := fmt.Sprintf(verb, v); !strings.Contains(text, "cache.Secret") {
				t.Errorf("%s shows %s", verb, text)
			}
		}
	}
}

// A secret that cannot be written is an error that names the file and the setting.
func TestSecretThatCannotBeWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "data.secret")
	const want = ": not a directory: let the user that this runs as write to its folder, or set " +
		"cache.secret_file to a file elsewhere"
	_, err := LoadSecret(path)
	if err == nil || !strings.Contains(err.Error(), path) ||
		!strings.HasSuffix(err.Error(), "not a directory") {
		t.Errorf("reading: %v", err)
	}
	err = WriteSecretText(path, NewSecretText())
	if err == nil || err.Error() != "writing the store secret to "+path+want {
		t.Errorf("writing: %v, want %s", err, want)
	}
	const full = "no space left on device: free some space, or set cache.secret_file to a file " +
		"elsewhere"
	err = notWritten(path, &os.PathError{Op: "write", Path: path + ".1", Err: syscall.ENOSPC})
	if got := err.Error(); got != "writing the store secret to "+path+": "+full {
		t.Errorf("on a full disk: %s", got)
	}
}
