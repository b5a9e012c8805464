package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// life is a conversation as the store sees it: now and then a checkpoint, each
// larger than the previous one, and the outputs that it replaces.
type life struct{ number int }

const (
	checkpointsOfLife = 40 // per conversation
	messagesBetween   = 10 // between two checkpoints
	outputsBetween    = 3
)

func (l life) key(message int) Key { return testKey(fmt.Appendf(nil, "%d,%d", l.number, message)) }

// text returns n bytes of prose with a unique beginning.
func (l life) text(pool []byte, of string, turn, n int) []byte {
	text := fmt.Appendf(make([]byte, 0, n+100), "%s %d of %d; ", of, turn, l.number)
	from := (l.number*7919 + turn*104729) % (len(pool) - n)
	return append(text, pool[from:from+n]...)
}

// turn looks for the last checkpoint, and stores the next one with the outputs that it
// replaces. It reports whether the last one was found.
func (l life) turn(t *testing.T, s *Store, pool []byte, turn int) (found bool) {
	keys := make([]Key, 0, messagesBetween+1)
	for i := range messagesBetween + 1 {
		keys = append(keys, l.key((turn-1)*messagesBetween+i))
	}
	_, at, _, err := s.Longest(background, keys)
	if err != nil {
		t.Error(err)
	}
	who := fmt.Sprint("who", l.number%100)
	outputs := make([]Original, outputsBetween)
	for i := range outputs {
		size := 1000 + (turn*37+i*211)%60*150
		outputs[i].Content = l.text(pool, "output", turn*outputsBetween+i, size)
		outputs[i].Ref = fmt.Sprintf("%d,%d,%d", l.number, turn, i)
	}
	evenAtLimit(t, func() error { return s.PutOriginals(background, who, outputs) })
	evenAtLimit(t, func() error {
		value := l.text(pool, "checkpoint", turn, 4000+1000*turn)
		_, err := s.Replace(background, keys, messagesBetween, at, value)
		return err
	})
	return at >= 0
}

// TestManyConversations runs many conversations concurrently; KILLICK_CONVERSATIONS sets
// their number. Disk and memory stay within their limits, and every conversation finds its
// last checkpoint again.
func TestManyConversations(t *testing.T) {
	skipBadgersRace(t)
	number, limit := 60, int64(MinMaxBytes)
	if asked, err := strconv.Atoi(os.Getenv("KILLICK_CONVERSATIONS")); err == nil {
		number, limit = asked, 0
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: dir, MaxBytes: limit, Timeout: time.Minute}
	if number <= 100 {
		o.Dir = fastDir(t)
	}
	s := mustOpen(t, o)
	pool := prose(1, 4<<20)
	var lost, turns atomic.Int64
	var most struct{ disk, heap, mapped int64 }
	begun := time.Now()
	for turn := 1; turn <= checkpointsOfLife; turn++ {
		var all sync.WaitGroup
		const workers = 8
		for w := range workers {
			all.Go(func() {
				for n := w; n < number; n += workers {
					if !(life{n}).turn(t, s, pool, turn) && turn > 1 {
						lost.Add(1)
					}
					turns.Add(1)
				}
			})
		}
		all.Wait()
		disk, heap, mapped := dirBytes(t, o.Dir), heapBytes(), statusBytes("RssFile")
		if number > 100 {
			t.Logf("%4v turn %d: %d MiB on disk, heap %d MiB, anonymous %d MiB, mapped %d MiB",
				time.Since(begun).Round(time.Second), turn, disk>>20, heap>>20,
				statusBytes("RssAnon")>>20, mapped>>20)
		}
		most.disk, most.heap = max(most.disk, disk), max(most.heap, heap)
		most.mapped = max(most.mapped, mapped)
	}
	n := s.Stats()
	t.Logf("%d conversations, %d turns in %v: at most %d MiB on disk, heap %d MiB, "+
		"mapped %d MiB; %d turns did not find their checkpoint; %+v",
		number, turns.Load(), time.Since(begun).Round(time.Second),
		most.disk>>20, most.heap>>20, most.mapped>>20, lost.Load(), n)
	if want := s.backend.(*diskBackend).limit; most.disk > want {
		t.Errorf("%d MiB on disk, want at most %d", most.disk>>20, want>>20)
	}
	if most.heap > 96<<20 {
		t.Errorf("a heap of %d MiB, want at most 96", most.heap>>20)
	}
	evicts := limit == 0 || n.EvictedCheckpoints > 0 // the smallest limit is reached
	if lost.Load() > 0 || !evicts || n.Corrupt != 0 || n.Failures != 0 {
		t.Errorf("%d turns did not find their checkpoint; %+v", lost.Load(), n)
	}
}

// heapBytes returns the size of live objects on the heap.
func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// statusBytes returns a figure of the process's memory, 0 if the system has none.
func statusBytes(name string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}
