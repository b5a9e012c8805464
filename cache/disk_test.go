package cache

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestBadgerLogger(t *testing.T) {
	var out bytes.Buffer
	debug := &slog.HandlerOptions{Level: slog.LevelDebug}
	l := badgerLogger{slog.New(slog.NewTextHandler(&out, debug))}
	l.Errorf("a value: %s", strings.Repeat("secret", 1000))
	l.Debugf("%s", "of every write")
	text := out.String()
	if strings.Count(text, " level=") != 1 || !strings.Contains(text, " badger_level=error ") {
		t.Errorf("a line has one level, and not also Badger's: %.100s", text)
	}
	if len(text) > 500 || !strings.Contains(text, "level=DEBUG") ||
		strings.Contains(text, "of every") {
		t.Errorf("logged %d bytes: %.600s", len(text), text)
	}
	out.Reset()
	l.Infof("a line of its own\n")
	if text := out.String(); !strings.Contains(text, `message="a line of its own"`) {
		t.Errorf("logged %s", text)
	}
	out.Reset()
	l = badgerLogger{slog.New(slog.NewTextHandler(&out, nil))}
	l.Errorf("an error")
	if out.Len() > 0 {
		t.Errorf("logged %s at a level above debug", &out)
	}
}
