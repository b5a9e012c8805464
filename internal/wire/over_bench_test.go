package wire

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"killick/chat"
	"killick/internal/config"
	"killick/internal/convert"
	"killick/internal/cputime"
	"killick/messages"
	"killick/proxy"
	"killick/rawjson"
	"killick/responses"
	"killick/tokenizer"
	"killick/view"
)

// overTurns are the bodies of a session that reads files in pieces of 2 KB, from three quarters of
// size on. Each body has one more call with its output.
func overTurns(texts []string, number, size, turns int) (bodies [][]byte) {
	const piece = 2 << 10
	b := fmt.Appendf(nil,
		`{"model":"gpt-4.1","messages":[{"role":"system","content":"You are agent %d."},`+
			`{"role":"user","content":"Mend the server %d. Never touch the generated files."}`,
		number, number)
	for i, text := range pieces(texts, number, size+turns*piece, piece) {
		b = fmt.Appendf(b,
			`,{"role":"assistant","content":"Next is part %d.","tool_calls":[{"id":"c%d",`+
				`"type":"function","function":{"name":"read_file",`+
				`"arguments":"{\"path\":\"src/file_%d_%d.go\"}"}}]},`+
				`{"role":"tool","tool_call_id":"c%d","content":%s}`,
			i, i, number, i, i, rawjson.AppendQuoted(nil, text))
		if len(b) > size*3/4 && len(bodies) < turns {
			bodies = append(bodies, []byte(string(b)+"]}"))
		}
	}
	return bodies
}

// A turn of a conversation that grows to twice its trigger, in the complete compactor with a store
// on disk, including its share of the compactions, also in processor time. The conversation is the
// same in each format.
func BenchmarkGrowingOverTrigger(b *testing.B) {
	texts := sources(b)
	for _, kb := range []int{50, 500} {
		for _, f := range []struct {
			format view.Format
			spell  func(chat []byte) ([]byte, error)
		}{
			{chat.Format, func(body []byte) ([]byte, error) { return body, nil }},
			{messages.Format, convert.Messages},
			{responses.Format,
				func(body []byte) ([]byte, error) { return convert.Responses(body), nil }},
		} {
			b.Run(fmt.Sprintf("%dKB/%s", kb, f.format.Name()), func(b *testing.B) {
				growOverTrigger(b, texts, kb<<10, f.format, f.spell)
			})
		}
	}
}

func growOverTrigger(b *testing.B, texts []string, size int, format view.Format,
	spell func(chat []byte) ([]byte, error)) {
	c := config.Default()
	c.Cache.Dir = b.TempDir() + "/store"
	trigger := config.Amount(size / 4 / 2)
	c.Compaction.Trigger, c.Compaction.Target = trigger, trigger/2
	store, secret, err := OpenStore(c.Cache, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	e := NewEngine(&c,
		Parts{Store: store, Secret: secret, Counter: tokenizer.New(tokenizer.Options{})})
	var parser view.Parser
	turn := func(body []byte) {
		req, err := parser.Parse(format, "who", body)
		if err != nil {
			b.Fatal(err)
		}
		out := e.Compact(b.Context(), proxy.Request{Chat: req, Who: "who"})
		if !out.Changed() {
			b.Fatalf("nothing is compacted: %s", out.Reason)
		}
	}
	var bodies [][]byte
	number, used := 0, time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		if len(bodies) == 0 {
			b.StopTimer()
			number++
			for _, body := range overTurns(texts, number, size, 21) {
				spelled, err := spell(body)
				if err != nil {
					b.Fatal(err)
				}
				bodies = append(bodies, spelled)
			}
			turn(bodies[0])
			bodies = bodies[1:]
			b.StartTimer()
		}
		start := cputime.Used()
		turn(bodies[0])
		used += cputime.Used() - start
		bodies = bodies[1:]
	}
	b.ReportMetric(float64(used.Microseconds())/float64(b.N), "cpu-µs/op")
}
