//go:build unix

package bpe

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"killick/internal/cputime"
	"killick/tokenizer/internal/corpus"
)

// BenchmarkUnseenKinds counts texts of many kinds that were not seen before, and
// has tiktoken-go count them in the same run: half of a text warms, the other half
// is timed in parts of 32 KB. Of each part the fastest of b.N rounds counts, for
// both, so that what else runs on the machine weighs less. It reports how many
// times as fast ours is, for each kind and as a geometric mean.
func BenchmarkUnseenKinds(b *testing.B) {
	e, ref := mustLoad(O200kBase), reference(b, O200kBase)
	ratios := make(map[string]float64)
	for i, kind := range slices.Concat(corpus.UnseenKinds, corpus.MoreKinds) {
		b.Run(kind, func(b *testing.B) {
			warm, text := corpus.Unseen(b, kind, 1<<20)
			ref.EncodeOrdinary(warm[:min(len(warm), 1<<16)])
			var parts []string
			for rest := text; rest != ""; rest = rest[len(parts[len(parts)-1]):] {
				parts = append(parts, rest[:cutRune([]byte(rest), 1<<15)])
			}
			ours, theirs := make([]time.Duration, len(parts)), make([]time.Duration, len(parts))
			tokens := 0
			for round := range b.N {
				// All that is kept of texts is in the scratch: the text is new each time.
				e.engine.idle = newScratches()
				e.CountString(warm)
				counts := make([]int, len(parts))
				for i, part := range parts {
					start := cputime.Used()
					counts[i] = e.CountString(part)
					if took := cputime.Used() - start; round == 0 || took < ours[i] {
						ours[i] = took
					}
				}
				tokens = 0
				for i, part := range parts {
					start := cputime.Used()
					want := len(ref.EncodeOrdinary(part))
					if took := cputime.Used() - start; round == 0 || took < theirs[i] {
						theirs[i] = took
					}
					if counts[i] != want {
						b.Fatalf("%d tokens, want %d", counts[i], want)
					}
					tokens += want
				}
			}
			our, their := sum(ours), sum(theirs)
			ratio := their.Seconds() / our.Seconds()
			b.ReportMetric(ratio, "x")
			b.ReportMetric(float64(len(text))/1e6/our.Seconds(), "MB/s")
			b.ReportMetric(float64(len(text))/1e6/their.Seconds(), "reference-MB/s")
			b.ReportMetric(float64(len(text))/float64(tokens), "bytes/token")
			b.ReportMetric(0, "ns/op")
			if i < len(corpus.UnseenKinds) {
				ratios[kind] = ratio
			}
		})
	}
	b.Run("geomean", func(b *testing.B) {
		sum := 0.0
		for _, ratio := range ratios {
			sum += math.Log(ratio)
		}
		b.ReportMetric(math.Exp(sum/float64(len(ratios))), "x")
		b.ReportMetric(float64(len(ratios)), "kinds")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkSizes counts texts of six kinds that are four times as long each time: the
// time for a byte stays what it is.
func BenchmarkSizes(b *testing.B) {
	e := mustLoad(O200kBase)
	text := func(kind string, size int) []byte {
		switch kind {
		case "one-letter", "random-letters", "punctuation":
			return bytes.Repeat([]byte(hostile(kind)), size>>20+1)[:size]
		}
		return []byte(corpus.Text(b, kind, size, 2))
	}
	for _, kind := range []string{
		"chat", "cjk", "base64", "one-letter", "random-letters", "punctuation",
	} {
		for size := 16 << 10; size <= 16<<20; size *= 4 {
			b.Run(fmt.Sprintf("%s/%dKB", kind, size>>10), func(b *testing.B) {
				text := text(kind, size)
				took := time.Duration(math.MaxInt64)
				for range b.N {
					e.engine.idle = newScratches() // the text is new each time
					start := cputime.Used()
					e.Count(text)
					took = min(took, cputime.Used()-start)
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(len(text)), "ns/byte")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkPrepare builds all that counting may need, and checks it, and reports the
// processor time that takes and what is kept.
func BenchmarkPrepare(b *testing.B) {
	for _, name := range allEncodings {
		b.Run(name, func(b *testing.B) {
			p := published[name]
			took := time.Duration(math.MaxInt64)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var e *engine
			for range b.N {
				start := cputime.Used()
				var err error
				if e, err = newEngine(p.ranks, p.split); err != nil {
					b.Fatal(err)
				}
				if err := e.check(p.ranks, p.pattern); err != nil {
					b.Fatal(err)
				}
				e.prefixes()
				took = min(took, cputime.Used()-start)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(took.Microseconds())/1e3, "ms")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "kept-MB")
			b.ReportMetric(0, "ns/op")
			runtime.KeepAlive(e)
		})
	}
}

func sum(times []time.Duration) (total time.Duration) {
	for _, t := range times {
		total += t
	}
	return total
}
