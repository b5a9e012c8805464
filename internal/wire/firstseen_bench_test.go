package wire

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/config"
	"killick/proxy"
	"killick/tokenizer"
)

// talk is the body of a chat without tools of about size bytes.
func talk(size int) []byte {
	b := []byte(`{"model":"gpt-4o","messages":[{"role":"system","content":"You help."}`)
	for i := 0; len(b) < size; i++ {
		b = fmt.Appendf(b, `,{"role":"user","content":%s},{"role":"assistant","content":%s}`,
			chat.AppendQuoted(nil, prose(i, 40)), chat.AppendQuoted(nil, prose(i*7+3, 160)))
	}
	return append(b, `,{"role":"user","content":"And now?"}]}`...)
}

var proseWords = strings.Fields("the harbour keeps its boats in winter when storms come over the " +
	"northern sea and nobody sails before spring unless the ferry to the islands has to take " +
	"bread medicine letters a doctor or somebody whose mother is ill and cannot wait for calm")

func prose(seed, words int) string {
	var b strings.Builder
	for i := range words {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		b.WriteString(proseWords[seed/65536%len(proseWords)])
		b.WriteByte(map[bool]byte{true: '.', false: ' '}[i%11 == 10])
	}
	return b.String()
}

// A long conversation that is seen for the first time, beside the least work that it takes:
// to scan it and count it once.
func BenchmarkFirstSeen(b *testing.B) {
	for _, mb := range []int{1, 5, 20} {
		for name, body := range map[string][]byte{
			"agent": grown(codingSession(), mb<<20), "chat": talk(mb << 20),
		} {
			b.Run(fmt.Sprintf("%s/%dMB/compacted", name, mb), func(b *testing.B) {
				firstSeen(b, body)
			})
			b.Run(fmt.Sprintf("%s/%dMB/least", name, mb), func(b *testing.B) {
				model := tokenizer.New(tokenizer.Options{}).For("gpt-4o")
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					b.StopTimer()
					model = tokenizer.New(tokenizer.Options{}).For("gpt-4o")
					b.StartTimer()
					req, err := chat.Parse(body)
					if err != nil {
						b.Fatal(err)
					}
					model.Request(req)
				}
			})
		}
	}
}

// grown is a session with its messages again and again, up to size bytes.
func grown(session []byte, size int) []byte {
	if len(session) > size {
		cut := strings.LastIndex(string(session[:size]), `,{"role":"assistant"`)
		return append(session[:cut:cut], `]}`...)
	}
	from := strings.Index(string(session), `,{"role":"assistant"`)
	more := strings.TrimSuffix(string(session[from:]), "]}")
	out := strings.TrimSuffix(string(session), "]}")
	for i := 0; len(out) < size; i++ {
		again := strings.ReplaceAll(more, `"id":"c`, fmt.Sprintf(`"id":"r%dc`, i))
		again = strings.ReplaceAll(again, `_id":"c`, fmt.Sprintf(`_id":"r%dc`, i))
		out += strings.ReplaceAll(again, "handler_", fmt.Sprintf("handler_%d_", i))
	}
	return []byte(out + "]}")
}

func firstSeen(b *testing.B, body []byte) {
	c := config.Default()
	c.Cache.InMemory = true
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		b.StopTimer()
		store, secret, err := OpenStore(c.Cache, slog.New(slog.DiscardHandler))
		if err != nil {
			b.Fatal(err)
		}
		e := NewEngine(
			&c,
			Parts{Store: store, Secret: secret, Counter: tokenizer.New(tokenizer.Options{})},
		)
		var parser chat.Parser
		b.StartTimer()
		req, err := parser.Parse("who", body)
		if err != nil {
			b.Fatal(err)
		}
		if out := e.Compact(b.Context(), proxy.Request{Chat: req, Who: "who"}); !out.Folded {
			b.Fatalf("nothing is folded: %s", out.Reason)
		}
		b.StopTimer()
		store.Close()
		b.StartTimer()
	}
}
