package calm

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// dropProgramPages lets go of the pages of the program's file, which the kernel
// still has and maps again where they are needed. Starting reads many once:
// every package's tables, the ranks of the tokenizers.
func dropProgramPages() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		// 00400000-01345000 r-xp 00000000 08:01 1234 /usr/bin/proxy
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[5] != program || strings.Contains(fields[1], "w") {
			continue
		}
		var from, to uintptr
		if _, err := fmt.Sscanf(fields[0], "%x-%x", &from, &to); err == nil && from < to {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED)
		}
	}
}
