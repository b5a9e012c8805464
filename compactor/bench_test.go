package compactor

import (
	"testing"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/view"
)

// histories calls run with conversations of three sizes and a budget of an
// eighth of each.
func histories(b *testing.B, run func(b *testing.B, in []byte, policy settings.Policy)) {
	msgs := session(9, 1200)
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1 << 10}, {"100KB", 100 << 10}, {"1MB", 1 << 20}} {
		n, total := 0, 0
		for n < len(msgs) && total < size.bytes {
			total += len(msgs[n])
			n++
		}
		in := body(msgs[:n])
		policy := settings.Policy{
			Trigger:       settings.Size(max(total/32, 200)),
			Target:        settings.Size(max(total/64, 100)),
			MinMaskTokens: 60,
		}
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			run(b, in, policy)
		})
	}
}

// A conversation whose form is known: what each turn costs.
func BenchmarkKnown(b *testing.B) {
	histories(b, func(b *testing.B, in []byte, policy settings.Policy) {
		e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		req := parse(b, in)
		e.Compact(b.Context(), req, "ann")
		for b.Loop() {
			e.Compact(b.Context(), req, "ann")
		}
	})
}

// A conversation seen for the first time: every decision of its life replayed.
func BenchmarkFirstSeen(b *testing.B) {
	histories(b, func(b *testing.B, in []byte, policy settings.Policy) {
		req := parse(b, in)
		for b.Loop() {
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			e.Compact(b.Context(), req, "ann")
		}
	})
}

// One decision over the whole history: masks, then the fold with its summary.
func BenchmarkPlan(b *testing.B) {
	histories(b, func(b *testing.B, in []byte, policy settings.Policy) {
		v, w := planned(b, in, policy)
		for b.Loop() {
			w.decide(b.Context(), v, nil, v.Total(), 0)
		}
	})
}

func BenchmarkRender(b *testing.B) {
	histories(b, func(b *testing.B, in []byte, policy settings.Policy) {
		v, w := planned(b, in, policy)
		cp := w.decide(b.Context(), v, nil, v.Total(), 0)
		if cp == nil {
			b.Skip("no form of this history pays")
		}
		for b.Loop() {
			checkpoint.Render(v, cp, checkpoint.Replace(v, cp))
		}
	})
}

func planned(b *testing.B, in []byte, policy settings.Policy) (*layout.View, *run) {
	policy = policy.WithDefaults()
	v := layout.New(parse(b, in), byteCounter{})
	v.Split()
	conv := newMemStore().Conversation("ann", []view.Message{}, nil)
	return v, &run{
		engine: &Engine{settings: policy}, v: v, conv: conv, res: &compaction.Outcome{},
		job: job{
			policy: policy,
			budget: policy.Budget(settings.DefaultWindow, 1, plan.Prices{}),
			count:  byteCounter{},
		},
	}
}
