package wire

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"log/slog"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/config"
	"killick/proxy"
	"killick/rawjson"
	"killick/tokenizer"
	"killick/view"
)

// growingTurns are the bodies of a conversation of about 1 MB in this many messages. Each body has
// one more call with its short result.
func growingTurns(messages, turns int) (bodies [][]byte) {
	const size = 1 << 20
	b := []byte(`{"model":"gpt-4o","messages":[{"role":"system","content":"You are an agent."},` +
		`{"role":"user","content":"Mend the shop."}`)
	output := strings.Repeat(
		"func handler(w http.ResponseWriter) error { return nil }\n",
		1+2*size/messages/64,
	)
	for i := range messages/2 + turns {
		b = fmt.Appendf(
			b,
			`,{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function",`+
				`"function":{"name":"read_file","arguments":"{\"path\":\"shop/part_%d.go\"}"}}]}`,
			i,
			i%40,
		)
		result := fmt.Sprint(i, output)
		if i >= messages/2 {
			result = "ok"
		}
		b = fmt.Appendf(b, `,{"role":"tool","tool_call_id":"c%d","content":%s}`, i,
			rawjson.AppendQuoted(nil, result))
		if i >= messages/2 {
			bodies = append(bodies, append(bytes.Clone(b), `]}`...))
		}
	}
	return bodies
}

// Turns of a known conversation of 1 MB, in few messages and in many, compared with the minimum
// work: hashing the body and copying it once.
func BenchmarkKnownTurns(b *testing.B) {
	for _, messages := range []int{100, 5000} {
		bodies := growingTurns(messages, 40)
		b.Run(fmt.Sprintf("%d/compacted", messages), func(b *testing.B) {
			b.SetBytes(int64(len(bodies[0])))
			b.ReportAllocs()
			next := len(bodies)
			var turn func([]byte)
			end := func() {}
			for b.Loop() {
				if next == len(bodies) {
					b.StopTimer()
					end()
					turn, end = talks(b)
					turn(bodies[0])
					turn(bodies[1])
					next = 2
					b.StartTimer()
				}
				turn(bodies[next])
				next++
			}
			end()
		})
		b.Run(fmt.Sprintf("%d/least", messages), func(b *testing.B) {
			seed, room := maphash.MakeSeed(), make([]byte, len(bodies[len(bodies)-1]))
			b.SetBytes(int64(len(bodies[0])))
			for i := 0; b.Loop(); i++ {
				body := bodies[i%len(bodies)]
				maphash.Bytes(seed, body)
				copy(room, body)
			}
		})
	}
}

// talks returns a function that processes one turn of a conversation, with a separate store.
func talks(b *testing.B) (turn func(body []byte), end func()) {
	c := config.Default()
	c.Cache.InMemory = true
	store, secret, err := OpenStore(c.Cache, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	e := NewEngine(
		&c,
		Parts{Store: store, Secret: secret, Counter: tokenizer.New(tokenizer.Options{})},
	)
	var parser view.Parser
	return func(body []byte) {
		req, err := parser.Parse(chat.Format, "who", body)
		if err != nil {
			b.Fatal(err)
		}
		e.Compact(b.Context(), proxy.Request{Chat: req, Who: "who"})
	}, func() { store.Close() }
}
