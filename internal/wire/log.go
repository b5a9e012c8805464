package wire

import (
	"bytes"
	"context"
	"io"
	"log/slog"

	"killick/internal/config"
	"killick/internal/logwriter"
	"killick/internal/terminal"
	"killick/redact"
)

// NewLogger returns a logger that writes text for people or JSON for collectors, without
// credentials.
func NewLogger(c config.Log, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // validated
	o := &slog.HandlerOptions{Level: level}
	if c.Format == "text" || c.Format == "auto" && terminal.Is(w) {
		return slog.New(redact.NewHandler(slog.NewTextHandler(w, o)))
	}
	return slog.New(redact.NewHandler(slog.NewJSONHandler(w, o)))
}

// Log is a logger for whose reader nobody waits long, see [logwriter.Writer]. It is also the writer
// of its lines.
type Log struct {
	*slog.Logger
	*logwriter.Writer
}

// OpenLog returns a [NewLogger] whose lines go to w. The caller closes it.
func OpenLog(c config.Log, w io.Writer) *Log {
	if c.Format == "auto" && terminal.Is(w) {
		c.Format = "text"
	}
	out := logwriter.New(w, func(dropped uint64) []byte {
		var line bytes.Buffer
		NewLogger(c, &line).Warn("lines of the log are missing here: whoever reads it did not "+
			"take them", "lines", dropped)
		return line.Bytes()
	})
	return &Log{NewLogger(c, out), out}
}

// LibraryWriter returns what the standard library's own logger should write to, see
// [log.SetOutput]: net/http reports there what no caller can hear about, such as bytes that an
// upstream sends after the end of its reply, and quotes them. Each message becomes a warning of l
// without what it quotes, which may be a prompt, a completion or a key, and without what follows.
func LibraryWriter(l *slog.Logger) io.Writer { return libraryWriter{l} }

type libraryWriter struct{ log *slog.Logger }

// libraryMessageBytes bounds a message; net/http's own words are shorter.
const libraryMessageBytes = 120

func (w libraryWriter) Write(message []byte) (int, error) {
	own, _, _ := bytes.Cut(message, []byte{'"'})
	own, _, _ = bytes.Cut(own, []byte{'\n'})
	if len(own) > libraryMessageBytes {
		own = own[:libraryMessageBytes]
	}
	w.log.LogAttrs(context.Background(), slog.LevelWarn, "reported by a library",
		slog.String("message", string(bytes.ToValidUTF8(bytes.TrimSpace(own), nil))))
	return len(message), nil
}
