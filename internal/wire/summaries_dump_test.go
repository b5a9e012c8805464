package wire

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"killick/compactor/report"
)

// Dumps that cannot be written are logged once, and again after one that was.
func TestDumpFailuresAreLoggedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dumps")
	d, err := newDumps(dir)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	fold := d.folded(slog.New(slog.NewTextHandler(&log, nil)))
	for _, there := range []bool{true, false, false, true, true, false, false} {
		if there {
			err = os.MkdirAll(dir, 0o700)
		} else {
			err = os.RemoveAll(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		fold(&report.Report{})
	}
	if n := strings.Count(log.String(), "writing a dump failed"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, log.String())
	}
}

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
