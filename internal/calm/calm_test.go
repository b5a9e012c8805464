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
	var c calm
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
		{16*mb + 600_000, false},
	} {
		if give := c.after(check.allocated); give != check.give {
			t.Errorf("check %d, %d bytes allocated: give back %v, want %v", i, check.allocated, give, check.give)
		}
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
