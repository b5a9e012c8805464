package calm

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func TestCalm(t *testing.T) {
	const mb = 1 << 20
	c := calm{since: soon, patience: 1}
	for i, check := range []struct {
		allocated uint64 // so far
		give      bool
	}{
		{1 * mb, false},          // starting
		{1*mb + 1000, false},     // calm, and nothing to speak of
		{9 * mb, false},          // a burst
		{12 * mb, false},         // that goes on
		{12*mb + 10_000, true},   // and is over
		{12*mb + 20_000, false},  // nothing has happened since
		{16*mb + 20_000, false},  // another
		{16*mb + 200_000, true},  // over
		{16*mb + 400_000, false}, // a trickle gathers
		{20*mb + 400_000, false}, // another, soon
		{20*mb + 400_000, false}, // which may go on
		{20*mb + 400_000, true},
		{20*mb + 500_000, false},
	} {
		if give := c.after(check.allocated); give != check.give {
			t.Errorf("check %d, %d bytes allocated: give back %v, want %v", i, check.allocated, give, check.give)
		}
	}
}

// TestPatience: bursts that follow one another soon have nothing given back in
// between; one that comes by itself has, at once.
func TestPatience(t *testing.T) {
	c := calm{since: soon, patience: 1}
	allocated, given := uint64(0), 0
	burst := func(pause int) {
		allocated += 10 << 20
		c.after(allocated)
		for range pause {
			if c.after(allocated) {
				given++
			}
		}
	}
	for range 100 {
		burst(10)
	}
	if given > 6 {
		t.Errorf("memory was given back %d times between bursts ten checks apart, want a few times", given)
	}
	given = 0
	for range 3 {
		burst(200)
	}
	if given != 3 || c.patience != 1 {
		t.Errorf("memory was given back %d times after bursts far apart, with a patience of %d in the end; want 3 and 1", given, c.patience)
	}
}

func TestAllocatedGrows(t *testing.T) {
	before := allocated()
	kept := make([]byte, 4<<20)
	if grown := allocated() - before; grown < 4<<20 {
		t.Errorf("4 MiB were allocated, told of %d bytes", grown)
	}
	runtime.KeepAlive(kept)
}

// TestDropProgramPages: the program runs on, and its file is out of its memory
// but for what it needed meanwhile.
func TestDropProgramPages(t *testing.T) {
	before := fileMemory(t)
	dropProgramPages()
	if after := fileMemory(t); after >= before {
		t.Errorf("%d KiB of files are in memory, as many as before (%d)", after, before)
	}
}

// fileMemory is the KiB of the process's memory that are pages of files.
func fileMemory(t *testing.T) (kib int) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here")
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "RssFile:"); ok {
			if kib, err = strconv.Atoi(strings.Fields(value)[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if kib == 0 {
		t.Skip("this kernel does not tell files from other memory")
	}
	return kib
}
