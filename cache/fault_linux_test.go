package cache

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tmpfs mounts a file system of this many MiB.
func tmpfs(t *testing.T, mib string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+mib+"m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill uses up n bytes of a file system, or all that are free if n is negative.
func fill(t *testing.T, path string, n int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 1<<16); n != 0; n = max(n-len(block), -1) {
		if _, err := f.Write(block); err != nil {
			return
		}
	}
}

// TestDiskFull fills the disk with the store itself, then from outside, before it is opened
// and while it is open: writes are refused, stored values can be read, and as soon as there
// is room, writes succeed again. A page that cannot be written would end the process.
func TestDiskFull(t *testing.T) {
	disk := tmpfs(t, "80")
	dir, filler := filepath.Join(disk, "store"), filepath.Join(disk, "filler")
	fill(t, filler, 16<<20)
	o := small(dir)
	o.gcEvery = 10 * time.Millisecond
	s := mustOpen(t, o)

	var err error
	kept := map[int]bool{}
	for i := 0; err == nil && i < 100_000; i++ {
		key, value := numbered(i)
		if _, err = s.Put(background, []Key{key}, 0, value); err == nil {
			kept[i] = true
		}
	}
	if !errors.Is(err, ErrNoSpace) || s.Stats().Refused != 1 || s.Stats().Failures != 0 {
		t.Fatalf("after %d values: %v, %+v", len(kept), err, s.Stats())
	}
	t.Logf("%d values fit", len(kept))
	readAll := func(s *Store) {
		t.Helper()
		for i := range kept {
			key, want := numbered(i)
			got, _, _, err := s.Longest(background, []Key{key})
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("value %d: %d bytes, want %d; %v", i, len(got), len(want), err)
			}
		}
	}
	readAll(s)

	more := filepath.Join(disk, "more")
	fill(t, more, -1)
	for name, write := range map[string]func() error{
		"a checkpoint": func() error {
			_, err := s.Put(background, []Key{Key{}}, 0, nil)
			return err
		},
		"one of a replica": func() error { return s.Adopt(background, []Key{Key{}}, 0, -1, nil) },
		"an original": func() error {
			return s.PutOriginals(background, "a", []Original{{Ref: "b", Content: []byte("c")}})
		},
		"when last seen": func() error { return s.PutLastSeen(background, Key{}, nil) },
	} {
		before := s.Stats().Refused
		if err := write(); !errors.Is(err, ErrNoSpace) || s.Stats().Refused != before+1 {
			t.Errorf("%s, with no byte left: %v; %d writes counted, want 1", name, err,
				s.Stats().Refused-before)
		}
	}
	readAll(s)
	if err := errors.Join(os.Remove(filler), os.Remove(more)); err != nil {
		t.Fatal(err)
	}
	key, value := numbered(len(kept) + 1)
	if _, err := s.Put(background, []Key{key}, 0, value); err != nil {
		t.Errorf("with room again: %v", err)
	}
	mustClose(t, s)

	fill(t, filler, -1)
	check := unchanged(t, dir)
	_, err = Open(o)
	if !errors.Is(err, ErrNoSpace) && !errors.Is(err, syscall.ENOSPC) ||
		!strings.Contains(err.Error(), "free some") {
		t.Errorf("opening with no byte left: %v", err)
	}
	check()
	os.Remove(filler)
	s = mustOpen(t, o)
	readAll(s)
	mustClose(t, s)
}

// TestCloseOnFullDisk closes a store that cannot flush: its logs are kept and contain
// everything.
func TestCloseOnFullDisk(t *testing.T) {
	disk := tmpfs(t, "60")
	dir, filler := filepath.Join(disk, "store"), filepath.Join(disk, "filler")
	sm := newSample()
	s := mustOpen(t, small(dir))
	sm.put(t, s, 0, len(sm.keys))
	fill(t, filler, -1)
	if err := s.Close(); !errors.Is(err, ErrNoSpace) {
		t.Errorf("Close: %v", err)
	}
	// This process still holds the lock; another process could open it.
	copied := filepath.Join(t.TempDir(), "store")
	if err := os.Mkdir(copied, 0o700); err != nil {
		t.Fatal(err)
	}
	copyDir(t, dir, copied)
	os.Remove(filler)
	if err := s.backend.(*diskBackend).db.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, small(copied))
	if n := sm.check(t, s); n != len(sm.keys) || s.recovered != "" {
		t.Errorf("%d of %d values; set aside: %q", n, len(sm.keys), s.recovered)
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	disk := tmpfs(t, "60")
	dir := filepath.Join(disk, "store")
	sm := newSample()
	s := mustOpen(t, small(dir))
	sm.put(t, s, 0, 10)
	mustClose(t, s)
	err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	if err != nil {
		t.Skip(err)
	}
	check := unchanged(t, dir)
	_, err = Open(small(dir))
	if !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "mount it writable") {
		t.Errorf("got %v", err)
	}
	check()
}

// TestMountPoint damages a store in a directory that cannot be renamed.
func TestMountPoint(t *testing.T) {
	dir := tmpfs(t, "60")
	sm := newSample()
	s := mustOpen(t, small(dir))
	sm.put(t, s, 0, 10)
	mustClose(t, s)
	if err := os.Truncate(filepath.Join(dir, "MANIFEST"), 3); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, small(dir))
	if aside := s.recovered; filepath.Dir(aside) != dir {
		t.Errorf("set aside in %q, want a folder inside %s", aside, dir)
	}
	sm.put(t, s, 0, 20)
	mustClose(t, s)
	if s = mustOpen(t, small(dir)); sm.check(t, s) != 20 || s.recovered != "" {
		t.Error("not there after opening again")
	}
}

// asNobody runs fn on a thread with the file permissions of the user nobody.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("not root, cannot be somebody else")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		fn()
	}()
	<-done
}

func TestNoRights(t *testing.T) {
	dir := killedStore(t, newSample())
	above := filepath.Dir(dir)
	for above != "/tmp" && above != "/" { // others must get as far as the store
		_ = os.Chmod(above, 0o755)
		above = filepath.Dir(above)
	}
	one := filepath.Join(dir, "000001.vlog")
	for _, c := range []struct {
		name string
		dir  os.FileMode
		file os.FileMode
	}{
		{"directory of another user", 0o700, 0o600},
		{"may read and not write", 0o755, 0o644},
		{"one file of another user", 0o777, 0o600},
	} {
		if err := errors.Join(os.Chmod(dir, c.dir), os.Chmod(one, c.file)); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); path != one {
				_ = os.Chmod(path, c.dir&0o666)
			}
		}
		check := unchanged(t, dir)
		asNobody(t, func() {
			_, err := Open(small(dir))
			if !errors.Is(err, fs.ErrPermission) ||
				!strings.Contains(err.Error(), "write permission") {
				t.Errorf("%s: %v", c.name, err)
			}
		})
		check()
	}
}

// TestCutWhileOpen truncates the value log of an open store under its mapping:
// reading such a page raises a signal, which must cost the value, not the
// process. Badger then holds a lock for good, so Close gives up on it, and the
// test runs in a process of its own.
func TestCutWhileOpen(t *testing.T) {
	if os.Getenv("KILLICK_TEST_CHILD") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCutWhileOpen$")
		cmd.Env = append(os.Environ(), "KILLICK_TEST_CHILD=tests")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	sm := newSample()
	s := mustOpen(t, small(dir))
	sm.put(t, s, 0, len(sm.keys))
	mustClose(t, s)
	o := small(dir)
	o.closeTimeout = 100 * time.Millisecond
	s = mustOpen(t, o)
	if err := os.Truncate(filepath.Join(dir, "000001.vlog"), 4096); err != nil {
		t.Fatal(err)
	}
	found := sm.check(t, s)
	if found == 0 || found == len(sm.keys) || s.Stats().Corrupt == 0 {
		t.Errorf("%d of %d values found, %d counted as damaged",
			found, len(sm.keys), s.Stats().Corrupt)
	}
	sm.put(t, s, 0, len(sm.keys))
	if found := sm.check(t, s); found != len(sm.keys) {
		t.Errorf("%d of %d values found after writing them again", found, len(sm.keys))
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "still busy") {
		t.Errorf("Close: %v", err)
	}
}

// Once no files can be created in an open directory, as when its rights change or it is mounted
// read-only, writes are refused, and closing does not wait for Badger, which would try without end
// to create one. A bind mount that is read-only leaves files that are open as they were.
func TestRightsLostWhileOpen(t *testing.T) {
	o := Options{Dir: t.TempDir(), Timeout: time.Minute}
	s := mustOpen(t, o)
	key := randomKey()
	if _, err := s.Put(background, []Key{key}, 0, []byte("a form")); err != nil {
		t.Fatal(err)
	}
	isThere := func(s *Store) {
		t.Helper()
		found, _, err := s.Find(background, []Key{key}, nil)
		if err != nil || found == nil || string(found.Value) != "a form" {
			t.Errorf("reading: %v, %v", found, err)
		}
	}
	mount := func(flags uintptr) error { return syscall.Mount(o.Dir, o.Dir, "", flags, "") }
	if err := mount(syscall.MS_BIND); err != nil {
		t.Skipf("cannot mount a directory: %v", err)
	}
	unmount := func() error { return syscall.Unmount(o.Dir, syscall.MNT_DETACH) }
	t.Cleanup(func() { _ = unmount() })
	if err := mount(syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY); err != nil {
		t.Fatal(err)
	}
	const says = "can no longer be written"
	_, err := s.Put(background, []Key{randomKey()}, 0, []byte("another"))
	if err == nil || !strings.Contains(err.Error(), says) || s.Stats().Failures != 1 {
		t.Errorf("writing: %v; %d failures", err, s.Stats().Failures)
	}
	isThere(s)
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("closing: %v", err)
	}
	// The process would end here. Badger closes if it may write.
	if err := errors.Join(unmount(), s.backend.(*diskBackend).db.Close()); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, o)
	isThere(s)
	mustClose(t, s)
}
