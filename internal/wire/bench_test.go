package wire

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"killick/chat"
	"killick/compaction"
	"killick/internal/config"
	"killick/proxy"
	"killick/rawjson"
	"killick/tokenizer"
	"killick/view"
)

// codingSession is the body of a request of 600 messages and about 1 MB: files read,
// edited and tested.
func codingSession() []byte {
	b := []byte(`{"model":"gpt-4o","messages":[{"role":"system","content":"You are an agent."},` +
		`{"role":"user","content":"Mend the shop. Never touch the migrations."}`)
	add := func(format string, args ...any) { b = fmt.Appendf(append(b, ','), format, args...) }
	for i := range 299 {
		var output strings.Builder
		for line := range 60 {
			fmt.Fprintf(&output,
				"%d\tfunc handler_%d_%d(w http.ResponseWriter) error { return store.Load(%d) }\n",
				line, i, line, i*line)
		}
		add(`{"role":"assistant","content":"Next I read part %d.","tool_calls":[`+
			`{"id":"c%d","type":"function","function":{"name":"read_file",`+
			`"arguments":"{\"path\":\"shop/part_%d.go\"}"}}]}`, i, i, i%40)
		add(`{"role":"tool","tool_call_id":"c%d","content":%s}`, i,
			rawjson.AppendQuoted(nil, output.String()))
	}
	return append(b, `]}`...)
}

// One turn of a long conversation whose form is known, in the complete compactor with its store and
// a parser that remembers the conversation: what compaction adds to each request.
func BenchmarkKnownConversation(b *testing.B) {
	c := config.Default()
	c.Cache.InMemory = true
	store, secret, err := OpenStore(c.Cache, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	counter := tokenizer.New(tokenizer.Options{})
	e := NewEngine(&c, Parts{Store: store, Secret: secret, Counter: counter})
	var parser view.Parser
	body, who := codingSession(), secret.Who("bench")
	turn := func() compaction.Outcome {
		req, err := parser.Parse(chat.Format, who, body)
		if err != nil {
			b.Fatal(err)
		}
		return e.Compact(b.Context(), proxy.Request{Chat: req, Who: who})
	}
	if out := turn(); !out.Changed() {
		b.Fatalf("nothing is compacted: %s", out.Reason)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		turn()
	}
}
