package platform

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Mapping is a file that is mapped into memory.
type Mapping struct {
	File     string // its path
	Resident int64  // bytes of it that are in memory

	from, to uintptr
}

// Mappings returns the mapped files of a directory, whose path is absolute.
func Mappings(dir string) (list []Mapping, err error) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	of := -1 // the mapping that lines are about
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// 7f61c0000000-7f61c8000000 rw-s 00000000 fe:00 1234   /data/000001.vlog
		// Rss:               65536 kB
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) < 2:
		case fields[0] == "Rss:" && of >= 0:
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err == nil {
				list[of].Resident = kib << 10
			}
		case !strings.HasSuffix(fields[0], ":"):
			of = -1
			m, ok := parseMapping(lines.Text())
			if ok && filepath.Dir(m.File) == dir {
				of, list = len(list), append(list, m)
			}
		}
	}
	return list, lines.Err()
}

// parseMapping reads the first line about a mapping.
func parseMapping(line string) (m Mapping, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 {
		return m, false
	}
	from, to, ok := strings.Cut(fields[0], "-")
	if !ok {
		return m, false
	}
	start, err := strconv.ParseUint(from, 16, strconv.IntSize)
	if err != nil {
		return m, false
	}
	end, err := strconv.ParseUint(to, 16, strconv.IntSize)
	if err != nil || end <= start {
		return m, false
	}
	path := strings.Index(line, "/")
	if path < 0 {
		return m, false
	}
	return Mapping{from: uintptr(start), to: uintptr(end), File: line[path:]}, true
}

// SharedBytes returns how many bytes of mapped files are in memory, those of other files too: the
// kernel counts them, while it walks all pages for [Mappings]. It returns the most that is possible
// if the number is unknown.
func SharedBytes() int64 {
	// size resident shared text lib data dt, in pages
	counts, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(counts))
	if len(fields) < 3 {
		return math.MaxInt64
	}
	pages, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return pages * int64(os.Getpagesize())
}

// madvPageOut is MADV_PAGEOUT of Linux's asm-generic/mman-common.h.
const madvPageOut = 21

// PageOut writes the pages of a mapping to its file and releases their memory. They
// are mapped again when used. If the mapping was replaced by another one meanwhile,
// that one keeps its content too. Linux supports it since 5.4; other systems keep
// the pages.
func (m Mapping) PageOut() {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, madvPageOut)
}
