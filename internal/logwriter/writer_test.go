package logwriter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func notice(dropped uint64) []byte { return fmt.Appendf(nil, "%d dropped\n", dropped) }

func write(t *testing.T, w *Writer, line string) (waited time.Duration) {
	t.Helper()
	start := time.Now()
	if n, err := w.Write([]byte(line)); n != len(line) || err != nil {
		t.Errorf("wrote %d of %d, %v", n, len(line), err)
	}
	return time.Since(start)
}

// While somebody reads the log, a line is written when Write returns.
func TestLinesAreWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no line is late
		var out bytes.Buffer
		w := New(&out, notice)
		defer w.Close()
		want := ""
		for i := range 100 {
			line := fmt.Sprintln("line", i)
			want += line
			write(t, w, line)
			if got := out.String(); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
		if w.Dropped() != 0 {
			t.Errorf("%d dropped", w.Dropped())
		}
	})
}

// If nobody reads the log, one line waits a moment and the others do not. Memory is bounded. Once
// it is read again, everything comes in order, and a notice where lines are missing; and lines are
// written at once again.
func TestLogThatIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, pipe := io.Pipe()
		w := New(pipe, notice)
		lines := func(from, to int) (all string) {
			for i := from; i < to; i++ {
				all += fmt.Sprintf("%06d%s\n", i, strings.Repeat(" ", 1017))
			}
			return all
		}
		const fit = maxQueued / 1024
		for i := range fit + 7 {
			waited := write(t, w, lines(i, i+1))
			if want := map[bool]time.Duration{true: writeTimeout}[i == 0]; waited != want {
				t.Fatalf("line %d waited %v, want %v", i, waited, want)
			}
		}
		if w.Dropped() != 7 {
			t.Errorf("%d dropped, want 7", w.Dropped())
		}
		read := make(chan string)
		go func() {
			all, _ := io.ReadAll(reader)
			read <- string(all)
		}()
		synctest.Wait()
		if waited := write(t, w, "again\n"); waited != 0 {
			t.Errorf("waited %v for a log that is read", waited)
		}
		w.Close()
		pipe.Close()
		if got, want := <-read, lines(0, fit)+"7 dropped\nagain\n"; got != want {
			t.Errorf("read %d bytes that end in %q", len(got), got[max(0, len(got)-40):])
		}
		if write(t, w, "late\n"); w.Dropped() != 8 {
			t.Error("a line after Close is not counted")
		}
	})
}

// fullDisk fails while it is full.
type fullDisk struct {
	bytes.Buffer
	full bool
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.full {
		return 0, errors.New("no space left on device")
	}
	return d.Buffer.Write(p)
}

// Lines that cannot be written are counted, and there is a notice where they are missing.
func TestLinesThatAreNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no line is late
		var out fullDisk
		w := New(&out, notice)
		write(t, w, "one\n")
		out.full = true
		for range 5 {
			write(t, w, "lost\n")
		}
		out.full = false
		write(t, w, "two\n")
		write(t, w, "three\n")
		w.Close()
		if got := out.String(); got != "one\n5 dropped\ntwo\nthree\n" || w.Dropped() != 5 {
			t.Errorf("%d dropped, wrote %q", w.Dropped(), got)
		}
	})
}

// Close does not wait for a log that nobody reads.
func TestCloseWhileNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, pipe := io.Pipe()
		w := New(pipe, notice)
		write(t, w, "one\n")
		start := time.Now()
		if w.Close(); time.Since(start) > writeTimeout {
			t.Errorf("waited %v", time.Since(start))
		}
		reader.Close()
	})
}
