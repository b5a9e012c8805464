package tokenizer

import (
	"fmt"
	"math"
	"testing"
	"time"
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
