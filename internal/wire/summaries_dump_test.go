package wire

import (
	"path/filepath"
	"strings"
	"testing"

	"killick/compactor/report"
)

// The number of files of one process is bounded, and the oldest are removed first.
func TestDumpsAreBounded(t *testing.T) {
	dir := t.TempDir()
	d, err := newDumps(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range maxDumps/2 + 5 {
		if err := d.fold(&report.Report{}); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != maxDumps || strings.Contains(strings.Join(files, " "), "-000005-") {
		t.Errorf("%d files, want %d, the first five dumps gone", len(files), maxDumps)
	}
}
