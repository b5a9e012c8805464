package redact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

type valuer struct{ secret string }

func (v valuer) LogValue() slog.Value { return slog.StringValue("key " + v.secret) }

func TestLogsHoldNoCredential(t *testing.T) {
	secret := "ghp_" + from(base62, 36, 1)
	for _, format := range []string{"json", "text"} {
		var out bytes.Buffer
		options := &slog.HandlerOptions{Level: slog.LevelDebug}
		var next slog.Handler = slog.NewTextHandler(&out, options)
		if format == "json" {
			next = slog.NewJSONHandler(&out, options)
		}
		log := slog.New(NewHandler(next))
		log.Info("got " + secret)
		log.Info("m", "string", "x "+secret, "error",
			fmt.Errorf("dialling: %w", errors.New(secret)))
		log.Info("m", "any", struct{ A []string }{[]string{secret}}, "bytes", []byte("x"))
		log.Info("m", slog.Group("g", slog.Group("h", "a", secret)), "valuer", valuer{secret})
		log.With("with", secret).WithGroup("g").Warn("m", "b", secret)
		log.Info("m", "password", "hunter22", "api_key", from(hexes, 32, 2))
		for _, leak := range []string{secret, "hunter22", from(hexes, 32, 2)} {
			if strings.Contains(out.String(), leak) {
				t.Errorf("%s: the log holds %s:\n%s", format, leak, out.String())
			}
		}
		if n := strings.Count(out.String(), "[redacted: github token]"); n != 8 {
			t.Errorf("%s: %d placeholders, want 8:\n%s", format, n, out.String())
		}
	}
}

func TestLogsKeepOtherText(t *testing.T) {
	var plain, wrapped bytes.Buffer
	drop := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	for out, wrap := range map[*bytes.Buffer]func(slog.Handler) slog.Handler{
		&plain:   func(h slog.Handler) slog.Handler { return h },
		&wrapped: NewHandler,
	} {
		log := slog.New(wrap(slog.NewJSONHandler(out, &slog.HandlerOptions{ReplaceAttr: drop})))
		log.Debug("not logged")
		log.With("a", 1).WithGroup("g").Error("failed", "err", errors.New("no such host"), "took",
			time.Second, "list", []int{1, 2},
			slog.Group("h", "ok", true), "who", "6f1c2b3a4d5e6f70", "at", time.Unix(0, 0).UTC())
	}
	if plain.String() != wrapped.String() || plain.Len() == 0 {
		t.Errorf("plain   %swrapped %s", plain.String(), wrapped.String())
	}
	if NewHandler(slog.NewJSONHandler(&plain, nil)).Enabled(context.Background(), slog.LevelDebug) {
		t.Error("a level that is off is on")
	}
}

func BenchmarkHandler(b *testing.B) {
	log := slog.New(NewHandler(slog.DiscardHandler))
	enabled := slog.New(NewHandler(slog.NewJSONHandler(discard{}, nil)))
	for name, l := range map[string]*slog.Logger{"off": log, "on": enabled} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.Info("request", "method", "POST", "path", "/v1/chat/completions", "status", 200,
					"who", "6f1c2b3a4d5e6f70", "bytes", 81920, "took", time.Millisecond)
			}
		})
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
