package wire

import (
	"io"
	"log/slog"

	"killick/internal/config"
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
