package bpe

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pkoukk/tiktoken-go"

	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
)

// BenchmarkUnseen counts text that was not seen before: one half of a corpus
// warms, the other half is timed.
func BenchmarkUnseen(b *testing.B) {
	e := mustLoad(O200kBase)
	for _, kind := range corpus.Kinds {
		for _, size := range []int{1 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%dKB", kind, size>>10), func(b *testing.B) {
				warm := []byte(corpus.Text(b, kind, 1<<20, 0))
				text := []byte(corpus.Text(b, kind, 2<<20, 1))
				e.Count(warm)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				at := 0
				for b.Loop() {
					e.Count(text[at : at+size])
					if at += size; at+size > len(text) {
						at = 0
					}
				}
			})
		}
	}
}

// BenchmarkBesideReference times both counters on the same unseen text and
// reports how many times as fast ours is.
func BenchmarkBesideReference(b *testing.B) {
	e, ref := mustLoad(O200kBase), reference(b, O200kBase)
	for _, size := range []int{1 << 10, 1 << 20} {
		product, n := 0.0, 0
		for _, kind := range corpus.Kinds {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, kind), func(b *testing.B) {
				e.Count([]byte(corpus.Text(b, kind, 1<<20, 0)))
				var ours, theirs time.Duration
				for round := range b.N {
					text := corpus.Text(b, kind, 1<<20, uint64(round)+1)
					var parts []string
					for len(text) >= size {
						parts, text = append(parts, text[:size]), text[size:]
					}
					if len(text) > 0 {
						parts = append(parts, text)
					}
					start := time.Now()
					total := 0
					for _, part := range parts {
						total += e.CountString(part)
					}
					ours += time.Since(start)
					start = time.Now()
					for _, part := range parts {
						total -= len(ref.EncodeOrdinary(part))
					}
					theirs += time.Since(start)
					if total != 0 {
						b.Fatalf("%d tokens more than the reference", total)
					}
				}
				ratio := theirs.Seconds() / ours.Seconds()
				b.ReportMetric(ratio, "x")
				b.ReportMetric(float64(b.N)*(1<<20)/1e6/ours.Seconds(), "MB/s")
				b.ReportMetric(float64(b.N)*(1<<20)/1e6/theirs.Seconds(), "reference-MB/s")
				product, n = product+math.Log(ratio), n+1
			})
		}
		b.Run(fmt.Sprintf("%dKB/geomean", size>>10), func(b *testing.B) {
			b.ReportMetric(math.Exp(product/float64(n)), "x")
		})
	}
}

// hostile returns a megabyte of a kind that stops other counters.
func hostile(kind string) string {
	r := rand.New(rand.NewPCG(9, 9))
	next := map[string]func() string{
		"one-letter":     func() string { return "a" },
		"two-letters":    func() string { return "ab" },
		"spaces":         func() string { return " " },
		"newlines":       func() string { return "\n" },
		"digits":         func() string { return string(rune('0' + r.IntN(10))) },
		"random-letters": func() string { return string(rune('a' + r.IntN(26))) },
		"capitals":       func() string { return string(rune('A' + r.IntN(26))) },
		"punctuation": func() string {
			return string("!#$%&()*+-./:;<=>?@[]^_{|}~"[r.IntN(27)])
		},
		"han":         func() string { return string(rune(0x4E00 + r.IntN(0x5200))) },
		"one-han":     func() string { return "好" },
		"marks":       func() string { return string(rune(0x300 + r.IntN(0x70))) },
		"hangul":      func() string { return string(rune(0xAC00 + r.IntN(0x2BA4))) },
		"emoji":       func() string { return string(rune(0x1F300 + r.IntN(0x300))) },
		"controls":    func() string { return string(rune(r.IntN(8))) },
		"dashes":      func() string { return "-" },
		"runs":        func() string { return string(runs(r, 4<<10)) },
		"few-letters": func() string { return string("aeint"[r.IntN(5)]) },
	}[kind]
	var b strings.Builder
	for b.Len() < 1<<20 {
		b.WriteString(next())
	}
	return b.String()
}

var hostileKinds = []string{"one-letter", "two-letters", "spaces", "newlines", "digits",
	"random-letters", "capitals",
	"punctuation", "han", "one-han", "marks", "hangul", "emoji", "controls", "dashes", "runs",
	"few-letters"}

// BenchmarkHostile counts pieces as long as the whole text.
func BenchmarkHostile(b *testing.B) {
	for _, name := range allEncodings {
		e := mustLoad(name)
		for _, kind := range hostileKinds {
			b.Run(name+"/"+kind, func(b *testing.B) {
				text := []byte(hostile(kind))
				e.Count(text[:1<<10])
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					e.Count(text)
				}
			})
		}
	}
}

// BenchmarkLoad builds an encoding and reports what it keeps in memory.
func BenchmarkLoad(b *testing.B) {
	for _, name := range allEncodings {
		b.Run(name, func(b *testing.B) {
			p := published[name]
			var before, after runtime.MemStats
			var e *engine
			runtime.GC()
			runtime.ReadMemStats(&before)
			for b.Loop() {
				var err error
				if e, err = newEngine(p.ranks, p.split); err != nil {
					b.Fatal(err)
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "kept-MB")
			runtime.KeepAlive(e)
		})
		b.Run(name+"/reference", func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var ref *tiktoken.Tiktoken
			for b.Loop() {
				var err error
				if ref, err = referenceFor(published[name].ranks,
					published[name].pattern); err != nil {
					b.Fatal(err)
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "kept-MB")
			runtime.KeepAlive(ref)
		})
	}
}

// BenchmarkJSON counts the same text as it is in JSON, decoded before, and decoded first by
// encoding/json.
func BenchmarkJSON(b *testing.B) {
	e := mustLoad(O200kBase)
	text := corpus.Text(b, "chat", 1<<20, 5)
	body := rawjson.AppendEscaped(nil, text)
	quoted := rawjson.AppendQuoted(nil, text)
	for name, count := range map[string]func() int{
		"escaped": func() int { return e.CountJSON(body) },
		"plain":   func() int { return e.CountString(text) },
		"decoded-first": func() int {
			var s string
			_ = json.Unmarshal(quoted, &s)
			return e.CountString(s)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				count()
			}
		})
	}
}
