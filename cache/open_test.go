package cache

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// child starts this test binary as a second process on dir.
func child(
	t *testing.T, job, dir string, env ...string,
) (cmd *exec.Cmd, stdin io.WriteCloser, stdout *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "KILLICK_TEST_CHILD="+job, "KILLICK_TEST_DIR="+dir)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, stdin, bufio.NewScanner(out)
}

// unchanged returns a function that fails the test if the files of dir have changed since
// unchanged was called.
func unchanged(t *testing.T, dir string) (check func()) {
	t.Helper()
	before := listing(t, dir)
	return func() {
		t.Helper()
		if after := listing(t, dir); after != before {
			t.Errorf("the directory was\n%sand is now\n%s", before, after)
		}
		if aside, _ := filepath.Glob(dir + ".damaged-*"); len(aside) > 0 {
			t.Errorf("set aside as %v", aside)
		}
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&list, e.Name(), info.Size(), info.Mode())
	}
	return list.String()
}

// TestLocked opens a store that another process has open, then one that this process has
// open.
func TestLocked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	cmd, stdin, stdout := child(t, "hold", dir)
	if !stdout.Scan() || stdout.Text() != "open" {
		t.Fatalf("the other process says %q", stdout.Text())
	}
	check := unchanged(t, dir)
	_, err := Open(small(dir))
	pid := fmt.Sprintf("pid %d", cmd.Process.Pid)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), pid) ||
		!strings.Contains(err.Error(), "cache.dir") {
		t.Errorf("while another process has it: %v", err)
	}
	check()
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, small(dir))
	if _, err := Open(small(dir)); !errors.Is(err, ErrLocked) {
		t.Errorf("while this process has it: %v", err)
	}
	mustClose(t, s)
	mustClose(t, mustOpen(t, small(dir)))
}

// TestKilled kills a writing process again and again: every value that it reported as
// stored must be found, with the right content.
func TestKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	next := 0
	for round := range 8 {
		cmd, _, stdout := child(t, "write", dir, fmt.Sprint("KILLICK_TEST_FROM=", next))
		// In every other round, after this many values, however long that takes.
		kill, more := func() { _ = cmd.Process.Kill() }, 30
		timer := time.AfterFunc(time.Duration(50+40*round)*time.Millisecond, kill)
		if round%2 != 0 {
			timer.Stop()
		}
		for stdout.Scan() {
			if stdout.Text() != fmt.Sprint(next) {
				t.Fatalf("the other process says %q, want %d", stdout.Text(), next)
			}
			next++
			if more--; more == 0 && round%2 != 0 {
				timer = time.AfterFunc(time.Duration(round)*time.Millisecond, kill)
			}
		}
		timer.Stop()
		_ = cmd.Wait()

		s := mustOpen(t, small(dir))
		if s.recovered != "" {
			t.Fatalf("set aside in %s", s.recovered)
		}
		for i := range next {
			key, want := numbered(i)
			got, _, _, err := s.Longest(background, []Key{key})
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("value %d of %d: %d bytes, want %d; %v", i, next, len(got), len(want), err)
			}
		}
		mustClose(t, s)
	}
	if next < 100 {
		t.Errorf("only %d values in 8 rounds", next)
	}
}

func TestFileInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(small(path))
	if !errors.Is(err, syscall.ENOTDIR) || !strings.Contains(err.Error(), "cache.dir") {
		t.Errorf("a file in place of the directory: %v", err)
	}
	if content, _ := os.ReadFile(path); string(content) != "mine" {
		t.Errorf("the file now holds %q", content)
	}
	inside := filepath.Join(path, "store")
	if _, err := Open(small(inside)); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file in place of its parent: %v", err)
	}
}

// badgerDir returns the files of a Badger database made with other options.
func badgerDir(t *testing.T, change func(*badger.Options)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	o := badgerOptions(Options{
		Logger: slog.New(slog.DiscardHandler), tuning: tuning{logFileBytes: 1 << 20},
	}, dir)
	change(&o)
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
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

func TestNotOurs(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*badger.Options)
		want   string
	}{
		{"encrypted", func(o *badger.Options) {
			o.EncryptionKey = []byte("0123456789abcdef")
			o.BlockCacheSize, o.IndexCacheSize = 1<<20, 1<<20
		}, "encrypted"},
		{"another program's", func(o *badger.Options) {
			o.ExternalMagicVersion = 0
		}, "another program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := badgerDir(t, c.change)
			check := unchanged(t, dir)
			_, err := Open(small(dir))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			check()
		})
	}
}

// TestSetAsideBesideOthers damages a store whose directory contains a file of another
// program: that file stays where it is.
func TestSetAsideBesideOthers(t *testing.T) {
	sm := newSample()
	dir := killedStore(t, sm)
	notes := filepath.Join(dir, "notes.txt")
	manifest := filepath.Join(dir, "MANIFEST")
	for path, content := range map[string]string{notes: "mine", manifest: "no"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var logged bytes.Buffer
	o := small(dir)
	o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	s := mustOpen(t, o)
	aside := s.recovered
	if filepath.Dir(aside) != dir || !strings.HasPrefix(filepath.Base(aside), "damaged-") {
		t.Errorf("set aside in %q, want a folder inside %s", aside, dir)
	}
	if content, err := os.ReadFile(notes); err != nil || string(content) != "mine" {
		t.Errorf("the other file: %q, %v", content, err)
	}
	text := logged.String()
	if !strings.Contains(text, "MANIFEST") || !strings.Contains(text, s.recovered) {
		t.Errorf("logged %s", text)
	}
	sm.put(t, s, 0, 20)
	mustClose(t, s)
	if s = mustOpen(t, o); s.recovered != "" || sm.check(t, s) != 20 {
		t.Error("not there after opening again")
	}
}

// TestSymbolicLink damages a store behind a symbolic link: it is set aside in its real
// place, and the link is kept.
func TestSymbolicLink(t *testing.T) {
	dir := killedStore(t, newSample())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if err := os.Remove(filepath.Join(dir, "MANIFEST")); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, small(link))
	if aside := s.recovered; !strings.HasPrefix(aside, dir+".damaged-") {
		t.Errorf("set aside in %q, want beside %s", aside, dir)
	}
	if to, err := os.Readlink(link); err != nil || to != dir {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// TestCrashLeftovers opens stores in states that a killed process may leave: no record may
// be lost.
func TestCrashLeftovers(t *testing.T) {
	sm := newSample()
	killed := killedStore(t, sm)
	for _, empty := range []string{
		"00007.mem", "000009.vlog", "000044.sst", "DISCARD",
		"MANIFEST-REWRITE", "REWRITE-KEYREGISTRY",
	} {
		t.Run(empty, func(t *testing.T) {
			dir := fastDir(t)
			copyDir(t, killed, dir)
			if err := os.WriteFile(filepath.Join(dir, empty), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s := mustOpen(t, small(dir))
			if n := sm.check(t, s); n != len(sm.keys) || s.recovered != "" {
				t.Errorf("%d of %d values; set aside: %q", n, len(sm.keys), s.recovered)
			}
		})
	}
}

// TestBadgerRefuses has Badger fail on a directory that passed the inspection. The files
// only count as the cause if Badger opens an empty directory in the same place.
func TestBadgerRefuses(t *testing.T) {
	sm := newSample()
	killed := killedStore(t, sm)
	refusing := errors.New("no")
	for _, c := range []struct {
		name  string
		open  func(dir string, calls int) error // panics, fails, or lets Badger
		aside bool
		kept  bool // whether the files stay in the directory
	}{
		{"these files", func(_ string, calls int) error {
			if calls == 1 {
				return refusing
			}
			return nil
		}, true, true},
		{"panics over these files", func(_ string, calls int) error {
			if calls == 1 {
				panic("content")
			}
			return nil
		}, true, false},
		{"any directory", func(string, int) error { return refusing }, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := fastDir(t)
			copyDir(t, killed, dir)
			check := unchanged(t, dir)
			o, calls := small(dir), 0
			o.tuning.open = func(b badger.Options) (*badger.DB, error) {
				calls++
				if err := c.open(b.Dir, calls); err != nil {
					return nil, err
				}
				return badger.Open(b)
			}
			s, err := Open(o)
			if !c.aside {
				if !errors.Is(err, refusing) {
					t.Errorf("got %v, want Badger's error", err)
				}
				check()
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if s.recovered == "" {
				t.Error("not set aside")
			}
			sm.put(t, s, 0, 10)
			if n := sm.check(t, s); n != 10 {
				t.Errorf("%d of 10 values", n)
			}
			if _, err := os.Stat(filepath.Join(dir, "MANIFEST")); (err == nil) != c.kept {
				t.Errorf("a store in the directory: %v, want %v", err == nil, c.kept)
			}
		})
	}
}
