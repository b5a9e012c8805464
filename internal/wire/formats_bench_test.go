package wire

import (
	"bytes"
	"log/slog"
	"testing"

	"killick/chat"
	"killick/internal/config"
	"killick/internal/convert"
	"killick/messages"
	"killick/proxy"
	"killick/responses"
	"killick/tokenizer"
	"killick/view"
)

// A long conversation in each format: finding that it fits without parsing it, parsing and counting
// it for the first time, and one turn of it when its form is known.
func BenchmarkFormats(b *testing.B) {
	body := bytes.Replace(codingSession(), []byte("gpt-4o"), []byte("gpt-4.1"), 1)
	claude, err := convert.Messages(body)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []struct {
		format view.Format
		body   []byte
	}{
		{chat.Format, body}, {messages.Format, claude}, {responses.Format, convert.Responses(body)},
	} {
		c := config.Default()
		c.Compaction.SetProfile("balanced")
		c.Cache.InMemory = true
		store, secret, err := OpenStore(c.Cache, slog.New(slog.DiscardHandler))
		if err != nil {
			b.Fatal(err)
		}
		defer store.Close()
		counter := tokenizer.New(tokenizer.Options{})
		small, large := c, c
		small.Compaction.Trigger, small.Compaction.Target = 64_000, 32_000
		large.Compaction.Trigger, large.Compaction.Target = 900_000, 450_000
		e := NewEngine(&small, Parts{Store: store, Secret: secret, Counter: counter})
		le := NewEngine(&large, Parts{Store: store, Secret: secret, Counter: counter})
		b.Run("fits/"+f.format.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(f.body)))
			for b.Loop() {
				if !le.Fits(f.body, "", "bench", "") {
					b.Fatal("it does not fit")
				}
			}
		})
		b.Run("read/"+f.format.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(f.body)))
			for b.Loop() {
				if _, err := view.Parse(f.format, f.body); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("known/"+f.format.Name(), func(b *testing.B) {
			var parser view.Parser
			who := secret.Who("bench")
			turn := func() {
				req, err := parser.Parse(f.format, who, f.body)
				if err != nil {
					b.Fatal(err)
				}
				out := e.Compact(b.Context(), proxy.Request{Chat: req, Who: who})
				if !out.Changed() {
					b.Fatalf("nothing is compacted: %s", out.Reason)
				}
			}
			turn()
			b.SetBytes(int64(len(f.body)))
			b.ReportAllocs()
			for b.Loop() {
				turn()
			}
		})
	}
}
