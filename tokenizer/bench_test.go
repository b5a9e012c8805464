package tokenizer

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pkoukk/tiktoken-go"

	"killick/chat"
)

// BenchmarkUnseen counts text that was not seen before: one half of a corpus
// warms, the other half is timed.
func BenchmarkUnseen(b *testing.B) {
	e := mustLoad(o200kBase)
	for _, kind := range corpora {
		for _, size := range []int{1 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%dKB", kind, size>>10), func(b *testing.B) {
				warm := []byte(corpus(b, kind, 1<<20, 0))
				text := []byte(corpus(b, kind, 2<<20, 1))
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
	e, ref := mustLoad(o200kBase), reference(b, o200kBase)
	for _, size := range []int{1 << 10, 1 << 20} {
		product, n := 0.0, 0
		for _, kind := range corpora {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, kind), func(b *testing.B) {
				e.Count([]byte(corpus(b, kind, 1<<20, 0)))
				var ours, theirs time.Duration
				for round := range b.N {
					text := corpus(b, kind, 1<<20, uint64(round)+1)
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
		"punctuation":    func() string { return string("!#$%&()*+-./:;<=>?@[]^_{|}~"[r.IntN(27)]) },
		"han":            func() string { return string(rune(0x4E00 + r.IntN(0x5200))) },
		"one-han":        func() string { return "好" },
		"marks":          func() string { return string(rune(0x300 + r.IntN(0x70))) },
		"hangul":         func() string { return string(rune(0xAC00 + r.IntN(0x2BA4))) },
		"emoji":          func() string { return string(rune(0x1F300 + r.IntN(0x300))) },
		"controls":       func() string { return string(rune(r.IntN(8))) },
		"dashes":         func() string { return "-" },
		"runs":           func() string { return string(runs(r, 4<<10)) },
		"few-letters":    func() string { return string("aeint"[r.IntN(5)]) },
	}[kind]
	var b strings.Builder
	for b.Len() < 1<<20 {
		b.WriteString(next())
	}
	return b.String()
}

var hostileKinds = []string{"one-letter", "two-letters", "spaces", "newlines", "digits", "random-letters", "capitals",
	"punctuation", "han", "one-han", "marks", "hangul", "emoji", "controls", "dashes", "runs", "few-letters"}

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

// history is the body of a request of about a megabyte: 300 messages, and a new
// one whose text holds twelve digits at the offset returned.
func history(b testing.TB) (body []byte, digits int) {
	var buf []byte
	buf = append(buf, `{"model":"gpt-5.1","stream":true,"messages":[{"role":"system","content":"You are a careful agent."}`...)
	text := corpus(b, "chat", 980<<10, 21)
	for i := range 299 {
		part := strings.ToValidUTF8(text[i*len(text)/299:(i+1)*len(text)/299], "")
		buf = fmt.Appendf(buf, `,{"role":%q,"content":`, []string{"user", "assistant"}[i%2])
		buf = append(chat.AppendQuoted(buf, part), '}')
	}
	buf = append(buf, `,{"role":"user","content":"`...)
	digits = len(buf)
	return append(buf, `000000000000 Now look at the second test, please, and say why it fails. `+
		`I have changed nothing but the name of one function."}]}`...), digits
}

// BenchmarkResent counts a request whose history was counted before and whose
// last message is new: all of it, with a parser that knows the history and with
// one that does not, and each of its steps.
func BenchmarkResent(b *testing.B) {
	body, at := history(b)
	m := New(Options{}).For("gpt-5.1")
	fresh := func(n int) { copy(body[at:], fmt.Sprintf("%012d", n)) }
	parsed := func(b *testing.B) *chat.Request {
		req, err := chat.Parse(body)
		if err != nil {
			b.Fatal(err)
		}
		return req
	}
	m.Request(parsed(b))
	// As a server sees it: the history comes again, longer by one message each
	// time; it begins anew before it has grown by a fiftieth.
	b.Run("all", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		var parser chat.Parser
		next := slices.Clone(body)
		n := 0
		for b.Loop() {
			if n++; n%200 == 0 {
				next = append(next[:0], body...)
			}
			next = fmt.Appendf(next[:len(next)-len(`]}`)], `,{"role":"user","content":"And %d: is that one right? Please look again."}]}`, n)
			req, err := parser.Parse("", next)
			if err != nil {
				b.Fatal(err)
			}
			if total := m.Request(req).Total; total < 1000 {
				b.Fatal(total)
			}
		}
	})
	b.Run("unknown", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			n++
			fresh(n)
			if total := m.Request(parsed(b)).Total; total < 1000 {
				b.Fatal(total)
			}
		}
	})
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			parsed(b)
		}
	})
	b.Run("hash", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		msgs := parsed(b).Messages()
		for b.Loop() {
			for i := range msgs {
				copied := msgs[i] // whose fingerprint is not known yet
				copied.Fingerprint()
			}
		}
	})
	b.Run("memo", func(b *testing.B) {
		req := parsed(b)
		m.Request(req)
		b.ReportAllocs()
		for b.Loop() {
			m.Request(req)
		}
	})
	b.Run("estimate", func(b *testing.B) {
		req := parsed(b)
		m.View("", req).Observe(m.Request(req).Total)
		b.ReportAllocs()
		for b.Loop() {
			m.View("", req).Estimate()
		}
	})
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
				if ref, err = referenceFor(published[name].ranks, published[name].pattern); err != nil {
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

// BenchmarkJSON counts the same text as it stands in JSON, decoded before, and
// decoded first by encoding/json.
func BenchmarkJSON(b *testing.B) {
	e := mustLoad(o200kBase)
	text := corpus(b, "chat", 1<<20, 5)
	body := chat.AppendEscaped(nil, text)
	quoted := chat.AppendQuoted(nil, text)
	for name, count := range map[string]func() int{
		"escaped":       func() int { return e.CountJSON(body) },
		"plain":         func() int { return e.CountString(text) },
		"decoded-first": func() int { var s string; _ = json.Unmarshal(quoted, &s); return e.CountString(s) },
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
