package wire

import (
	"log/slog"
	"testing"

	"killick/chat"
	"killick/internal/config"
	"killick/proxy"
	"killick/tokenizer"
	"killick/view"
)

// A chat of 1.7 MB that is not in the store, between the idle threshold and the trigger: the cost
// of finding that it is forwarded unchanged.
func BenchmarkWarm(b *testing.B) {
	body := talk(sources(b), 1_700_000)
	body = append([]byte(`{"model":"gpt-4.1"`), body[len(`{"model":"gpt-4o"`):]...)
	c := config.Default()
	c.Compaction.SetProfile("balanced")
	c.Cache.InMemory = true
	counter := tokenizer.New(tokenizer.Options{})
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		b.StopTimer()
		store, secret, err := OpenStore(c.Cache, slog.New(slog.DiscardHandler))
		if err != nil {
			b.Fatal(err)
		}
		e := NewEngine(&c, Parts{Store: store, Secret: secret, Counter: counter})
		var parser view.Parser
		b.StartTimer()
		if e.Fits(body, "", "who", "") {
			b.Fatal("it is under the idle threshold")
		}
		req, err := parser.Parse(chat.Format, "who", body)
		if err != nil {
			b.Fatal(err)
		}
		if out := e.Compact(b.Context(), proxy.Request{Chat: req, Who: "who"}); out.Raw != 0 {
			b.Fatalf("it was counted: %d tokens, %s", out.Raw, out.Reason)
		}
		b.StopTimer()
		_ = store.Close()
		b.StartTimer()
	}
}
