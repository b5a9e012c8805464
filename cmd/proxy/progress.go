package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows steps on one line of a terminal, and nothing elsewhere.
type progress struct {
	look  look
	every time.Duration

	mu    sync.Mutex // a log line may come from another goroutine
	out   io.Writer
	drawn bool
	last  time.Time
}

func newProgress(w io.Writer, l look) *progress {
	return &progress{look: l, out: w, every: 30 * time.Millisecond}
}

// show draws a line over the one before. Of lines that follow each other closely
// all but the last are left out.
func (p *progress) show(last bool, draw func(look) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.look.terminal || !last && time.Since(p.last) < p.every {
		return
	}
	p.last, p.drawn = time.Now(), true
	fmt.Fprint(p.out, "\r"+draw(p.look)+"\x1b[K")
}

// clear takes the line away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

// above returns a writer for lines that are to stand above the progress.
func (p *progress) above(w io.Writer) io.Writer { return aboveWriter{p, w} }

type aboveWriter struct {
	*progress
	w io.Writer
}

func (a aboveWriter) Write(b []byte) (int, error) {
	a.clear()
	return a.w.Write(b)
}
