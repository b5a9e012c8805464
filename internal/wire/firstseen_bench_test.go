package wire

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/internal/config"
	"killick/internal/cputime"
	"killick/proxy"
	"killick/rawjson"
	"killick/tokenizer"
	"killick/view"
)

// sources are the texts of the standard library's files, in order: real code, not written for these
// tests.
func sources(b *testing.B) (texts []string) {
	b.Helper()
	env, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skipf("asking where the standard library is: %v", err)
	}
	root := filepath.Join(strings.TrimSpace(string(env)), "src")
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") ||
			strings.Contains(name, "testdata") {
			return err
		}
		text, err := os.ReadFile(name)
		texts = append(texts, string(text))
		return err
	})
	if err != nil || len(texts) < 1000 {
		b.Skipf("%d sources of the standard library in %s, %v", len(texts), root, err)
	}
	return texts
}

// pieces returns about size bytes of the sources in pieces of at most piece bytes, starting at a
// different place for each seed. No piece is repeated: each round through the sources takes the
// next piece of each, until it has no more.
func pieces(texts []string, seed, size, piece int) (list []string) {
	for i := seed * 997; size > 0; i++ {
		text := texts[i%len(texts)]
		text = text[min((i-seed*997)/len(texts)*piece, len(text)):]
		if text = strings.ToValidUTF8(text[:min(len(text), piece, size)], ""); text != "" {
			list, size = append(list, text), size-len(text)-1
		}
	}
	return list
}

// agent is the body of a session that reads files, of about size bytes.
func agent(texts []string, size int) []byte {
	b := []byte(`{"model":"gpt-4o","messages":[{"role":"system","content":"You are an agent."},` +
		`{"role":"user","content":"Mend the server. Never touch the generated files."}`)
	for i, text := range pieces(texts, 1, size, 8<<10) {
		b = fmt.Appendf(
			b,
			`,{"role":"assistant","content":"Next is part %d.","tool_calls":[{"id":"c%d",`+
				`"type":"function","function":{"name":"read_file",`+
				`"arguments":"{\"path\":\"src/part_%d.go\"}"}}]}`,
			i, i, i%200,
		)
		b = fmt.Appendf(b, `,{"role":"tool","tool_call_id":"c%d","content":%s}`, i,
			rawjson.AppendQuoted(nil, text))
	}
	return append(b, `]}`...)
}

// talk is the body of a chat without tools of about size bytes.
func talk(texts []string, size int) []byte {
	b := []byte(`{"model":"gpt-4o","messages":[{"role":"system","content":"You help."}`)
	for i, text := range pieces(texts, 2, size, 2<<10) {
		half := strings.IndexByte(text[len(text)/4:]+"\n", '\n') + len(text)/4
		half = min(half, len(text))
		b = fmt.Appendf(
			b,
			`,{"role":"user","content":%s},{"role":"assistant","content":%s}`,
			rawjson.AppendQuoted(nil, fmt.Sprint(i, text[:half])),
			rawjson.AppendQuoted(nil, text[half:]),
		)
	}
	return append(b, `,{"role":"user","content":"And now?"}]}`...)
}

// A long conversation that is seen for the first time, by profile, as a multiple of the minimum
// work: scanning and counting it once. Both are measured alternately, in processor time; the
// minimum of each counts.
func BenchmarkFirstSeen(b *testing.B) {
	texts := sources(b)
	for _, mb := range []int{1, 5, 20} {
		for name, body := range map[string][]byte{
			"agent": agent(texts, mb<<20), "chat": talk(texts, mb<<20),
		} {
			for _, profile := range []string{"auto", "balanced", "saver"} {
				b.Run(fmt.Sprintf("%s/%dMB/%s", name, mb, profile), func(b *testing.B) {
					least, seen := time.Hour, time.Hour
					for b.Loop() {
						least = min(least, countOnce(b, body))
						seen = min(seen, firstSeen(b, profile, body))
					}
					b.ReportMetric(float64(seen)/float64(least), "x-least")
					b.ReportMetric(float64(seen.Microseconds())/1e3, "cpu-ms")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

// countOnce returns the processor time of scanning and counting a body.
func countOnce(b *testing.B, body []byte) time.Duration {
	model := tokenizer.New(tokenizer.Options{}).For("gpt-4o")
	runtime.GC()
	start := cputime.Used()
	req, err := chat.Parse(body)
	if err != nil {
		b.Fatal(err)
	}
	model.Request(req)
	return cputime.Used() - start
}

// firstSeen returns the processor time of compacting a conversation that the store never saw.
func firstSeen(b *testing.B, profile string, body []byte) time.Duration {
	c := config.Default()
	c.Compaction.SetProfile(profile)
	c.Cache.InMemory = true
	store, secret, err := OpenStore(c.Cache, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	e := NewEngine(
		&c,
		Parts{Store: store, Secret: secret, Counter: tokenizer.New(tokenizer.Options{})},
	)
	var parser view.Parser
	runtime.GC()
	start := cputime.Used()
	req, err := parser.Parse(chat.Format, "who", body)
	if err != nil {
		b.Fatal(err)
	}
	if out := e.Compact(b.Context(), proxy.Request{Chat: req, Who: "who"}); !out.Folded {
		b.Fatalf("nothing is folded: %s", out.Reason)
	}
	return cputime.Used() - start
}
