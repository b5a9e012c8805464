package proxytest

import (
	"strings"
	"sync"
)

// Log collects a log, and can be read while it is written. The zero value is empty.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements [io.Writer].
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns what was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
