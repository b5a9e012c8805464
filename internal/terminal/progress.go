package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows steps on one line of a terminal, and nothing elsewhere.
type Progress struct {
	look  Look
	every time.Duration

	mu    sync.Mutex // a log line may come from another goroutine
	out   io.Writer
	drawn bool
	last  time.Time
}

// NewProgress returns one that draws on w.
func NewProgress(w io.Writer, l Look) *Progress {
	return &Progress{look: l, out: w, every: 30 * time.Millisecond}
}

// Show replaces the line. If lines follow each other closely, only the last is drawn.
func (p *Progress) Show(last bool, draw func(Look) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.look.Terminal || !last && time.Since(p.last) < p.every {
		return
	}
	p.last, p.drawn = time.Now(), true
	fmt.Fprint(p.out, "\r"+draw(p.look)+"\x1b[K")
}

// Clear removes the line.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

// Above returns a writer for lines to print above the progress.
func (p *Progress) Above(w io.Writer) io.Writer { return aboveWriter{p, w} }

type aboveWriter struct {
	*Progress
	w io.Writer
}

func (a aboveWriter) Write(b []byte) (int, error) {
	a.Clear()
	return a.w.Write(b)
}
