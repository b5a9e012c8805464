package cache

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// On a disk that hangs, a store waits in a system call, before Badger writes to mapped files: until
// the disk answers, nothing is written, and what is there is read.
func TestWritesWaitForTheDiskInASystemCall(t *testing.T) {
	s := mustOpen(t, Options{Dir: t.TempDir(), Timeout: time.Minute})
	keys := []Key{randomKey(), randomKey()}
	put := func(key Key) error {
		_, err := s.Put(background, []Key{key}, 0, []byte("a form"))
		return err
	}
	finds := func(key Key) bool {
		found, _, err := s.Find(background, []Key{key}, nil)
		if err != nil {
			t.Error(err)
		}
		return found != nil
	}
	if err := put(keys[0]); err != nil {
		t.Fatal(err)
	}
	called, answer := make(chan struct{}), make(chan struct{})
	r := s.backend.(*diskBackend).writes
	var once sync.Once // maintain may ask too
	works := r.replace(func() error {
		once.Do(func() { close(called) })
		<-answer
		return nil
	})
	written := make(chan error)
	go func() { written <- put(keys[1]) }()
	<-called
	if !finds(keys[0]) || finds(keys[1]) {
		t.Error("want the first record and not the second")
	}
	close(answer)
	if err := <-written; err != nil || !finds(keys[1]) {
		t.Errorf("writing: %v", err)
	}
	r.replace(works)
	mustClose(t, s)
}

// replace replaces the write, and returns the one before.
func (r *writeCheck) replace(write func() error) (before func() error) {
	r.busy <- struct{}{}
	defer func() { <-r.busy }()
	before, r.write = r.write, write
	return before
}

// One call waits for the disk, since each occupies a thread. The others give up.
func TestOneCallWaitsForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		r := &writeCheck{busy: make(chan struct{}, 1), write: func() error { <-answer; return nil }}
		first := make(chan error)
		go func() { first <- r.wait() }()
		synctest.Wait()
		start := time.Now()
		if err := r.wait(); !errors.Is(err, ErrTimeout) || time.Since(start) != writeCheckTimeout {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		close(answer)
		if err := errors.Join(<-first, r.wait()); err != nil {
			t.Error(err)
		}
	})
}

// After an error of the disk, a file system may refuse writes although its flags allow them. Badger
// would try without end to create a file.
func TestFileSystemThatRefusesWrites(t *testing.T) {
	o := Options{Dir: filepath.Join(t.TempDir(), "store"), Timeout: time.Minute}
	s := mustOpen(t, o)
	key := randomKey()
	if _, err := s.Put(background, []Key{key}, 0, []byte("a form")); err != nil {
		t.Fatal(err)
	}
	r := s.backend.(*diskBackend).writes
	refuse := func(cause error) {
		r.replace(func() error { return &fs.PathError{Op: "pwrite", Path: "p", Err: cause} })
	}
	refuse(syscall.EROFS)
	const says = "can no longer be written: read-only file system"
	_, err := s.Put(background, []Key{randomKey()}, 0, []byte("another"))
	if err == nil || !strings.Contains(err.Error(), says) || s.Stats().Failures != 1 {
		t.Errorf("writing: %v; %d failures", err, s.Stats().Failures)
	}
	refuse(syscall.ENOSPC)
	_, err = s.Put(background, []Key{randomKey()}, 0, []byte("another"))
	if !errors.Is(err, ErrNoSpace) || s.Stats().Refused != 1 {
		t.Errorf("writing: %v; %d refused", err, s.Stats().Refused)
	}
	refuse(syscall.EROFS)
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("closing: %v", err)
	}
	// The process would end here. Badger closes if it may write.
	if err := s.backend.(*diskBackend).db.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, o)
	if found, _, err := s.Find(background, []Key{key}, nil); err != nil || found == nil {
		t.Errorf("reading: %v, %v", found, err)
	}
	mustClose(t, s)
}
