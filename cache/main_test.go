package cache

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain also runs the second process of tests that need one.
func TestMain(m *testing.M) {
	switch dir := os.Getenv("KILLICK_TEST_DIR"); os.Getenv("KILLICK_TEST_CHILD") {
	case "":
		goleak.VerifyTestMain(m)
	case "tests": // some tests leak goroutines
		os.Exit(m.Run())
	case "hold":
		childHolds(dir)
	case "write":
		childWrites(dir)
	}
}

// childHolds has a store open until its standard input ends.
func childHolds(dir string) {
	s, err := Open(Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("open")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	s.Close()
}

// childWrites stores numbered values and prints each number when it is stored, until the
// process is killed.
func childWrites(dir string) {
	o := small(dir)
	o.gcEvery = 20 * time.Millisecond
	s, err := Open(o)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var from int
	_, _ = fmt.Sscan(os.Getenv("KILLICK_TEST_FROM"), &from)
	for i := from; ; i++ {
		key, value := numbered(i)
		if _, err := s.Put(context.Background(), []Key{key}, 0, value); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

func numbered(i int) (Key, []byte) {
	text := fmt.Appendf(nil, "value %d;", i)
	return testKey(text), append(text, noise(i, i%7*5000)...)
}

// testKey returns a key for a text, each with a different owner.
func testKey(text []byte) (key Key) {
	sum := sha256.Sum256(text)
	copy(key[copy(key[:], sum[:ownerBytes]):], sum[:])
	return key
}

// Longest is Find without an earlier result.
func (s *Store) Longest(
	ctx context.Context, keys []Key,
) (value []byte, index int, renewed bool, err error) {
	found, renewed, err := s.Find(ctx, keys, nil)
	if found == nil {
		return nil, -1, false, err
	}
	return found.Value, found.Index, renewed, nil
}

// Put is Replace of nothing.
func (s *Store) Put(ctx context.Context, keys []Key, index int, value []byte) ([]byte, error) {
	stored, err := s.Replace(ctx, keys, index, -1, value)
	if stored == nil {
		return nil, err
	}
	return stored.Value, err
}
