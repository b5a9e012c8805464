package tokenizer

import (
	"math"
	"math/rand/v2"
	"testing"

	"killick/view"
)

// TestRatio feeds reports of requests of 10,000 tokens of ours, ten times as many
// as the window holds.
func TestRatio(t *testing.T) {
	const ours = 10_000
	r := rand.New(rand.NewPCG(1, 31))
	one := func(x float64) func(int) float64 { return func(int) float64 { return x } }
	spread := func(x float64) float64 { return x + 0.02*(r.Float64()-0.5) }
	honest := func(int) float64 { return spread(1.31) }
	// some replaces each n-th report of an honest upstream.
	some := func(n int, x float64) func(int) float64 {
		return func(i int) float64 {
			if i%n == 0 {
				return x
			}
			return honest(i)
		}
	}
	for _, test := range []struct {
		name        string
		bounds      *ratioBounds
		reports     int
		report      func(i int) float64
		least, most float64
	}{
		{"nothing reported", &unpublishedBounds, 0, honest, 1.35, 1.35},
		{"few reports that are low", &unpublishedBounds, fewReports - 1, one(1.1), 1.35, 1.35},
		{"few reports that are high", &unpublishedBounds, fewReports - 1, one(1.6), 1.61, 1.62},
		{"as many as ours", &unpublishedBounds, 320, one(1), 1.01, 1.01},
		{"fewer than ours", &unpublishedBounds, 320, one(0.8), 1, 1},
		{"honest", &unpublishedBounds, 320, honest, 1.31, 1.34},
		{"a fifth with images billed", &unpublishedBounds, 320, some(5, 2.9), 1.31, 1.34},
		{"half without cached tokens", &unpublishedBounds, 320, some(2, 0.6), 1.31, 1.34},
		{"half without most of them", &unpublishedBounds, 320, some(2, 0.05), 1.31, 1.34},
		{"all characters", &unpublishedBounds, 320, one(4), 1.35, 1.35},
		{"some characters", &unpublishedBounds, 320, some(4, 4), 1.31, 1.34},
		{"always far too high", &unpublishedBounds, 320, one(2.9), 2.5, 2.5},
		{"never a number", &unpublishedBounds, 320, one(0), 1.35, 1.35},
		{"negative", &unpublishedBounds, 320, one(-1), 1.35, 1.35},
		{"as large as a number gets", &unpublishedBounds, 320, one(math.MaxInt / ours), 1.35, 1.35},
		{"another tokenizer from the middle on", &unpublishedBounds, 320, func(i int) float64 {
			return 1.2 + 0.4*float64(i/160)
		}, 1.61, 1.62},
		{"published, nothing reported", &publishedBounds, 0, honest, 1, 1},
		{"published", &publishedBounds, 320, func(int) float64 { return spread(1.03) }, 1.03, 1.06},
		{"published, a frame of its own", &publishedBounds, 320, one(1.2), 1.1, 1.1},
		{"published, half as many again", &publishedBounds, 320, one(1.5), 1.1, 1.1},
		{"published, a fifth half as many again", &publishedBounds, 320, func(i int) float64 {
			if i%5 == 0 {
				return 1.5
			}
			return 1
		}, 1.01, 1.01},
	} {
		t.Run(test.name, func(t *testing.T) {
			var ratio ratio
			for i := range test.reports {
				ratio.observe(ours, int(test.report(i)*ours))
			}
			if got := ratio.value(test.bounds); got < test.least || got > test.most {
				t.Errorf("ratio %.3f, want %.2f to %.2f", got, test.least, test.most)
			}
		})
	}
}

func TestSmallRequestsAreNotObserved(t *testing.T) {
	m := New(Options{}).For("some-model")
	if m.Observe(minObserved-1, minObserved) {
		t.Error("the count of a small request was believed")
	}
	if m.settled() {
		t.Error("the ratio is settled with nothing observed")
	}
	if !m.Observe(minObserved, minObserved) || !m.settled() {
		t.Error("the count of a larger request was not believed")
	}
}

// upstream counts by a formula of its own, which a ratio can only come near.
type upstream struct {
	model      string
	ratio      float64 // of its tokenizer to what is estimated of it
	wobble     float64 // by how much the ratio differs from message to message, at most
	perMessage int
	perCall    int
	toolsRatio float64
	constant   int
}

var upstreams = []upstream{
	{"gpt-4o", 1, 0, 2, 5, 1.2, 30},
	{"gpt-5.1", 1, 0, 0, 9, 0.8, -4},
	{"llama-3.3-70b", 0.98, 0.02, 5, 20, 1.5, 25},
	{"qwen3-coder", 1.02, 0.03, 2, 31, 1.3, 11},
	{"mistral-large", 1.08, 0.03, 1, 9, 1.1, 1},
	{"claude-sonnet-4-5", 1.06, 0.03, 4, 40, 1.9, 346},
	{"tiny-vocabulary", 1.7, 0.03, 7, 0, 2, 60},
	{"large-vocabulary", 0.87, 0.02, 3, 3, 0.9, 0},
}

// count is what the upstream reports for a request.
func (u upstream) count(m Model, req *view.Request) int {
	x := extrasOf(req)
	total := float64(u.constant+m.frame(x)) + u.toolsRatio*float64(m.tools(x))
	msgs := req.Messages()
	for i := range msgs {
		n := m.Message(&msgs[i])
		wobble := u.wobble * math.Sin(float64(n)*1.7+float64(i)) // any fixed function will do
		total += u.ratio * m.Factor(msgs[i].Raw) * (1 + wobble) * float64(n)
		total += float64(u.perMessage + u.perCall*len(msgs[i].ToolCalls()))
	}
	return int(math.Round(total))
}

// estimate is what Observe is given for a request.
func (m Model) estimate(req *view.Request) int {
	return int(float64(m.Request(req).Total) * m.Factor(req.Raw()))
}

// TestRatioBoundsUpstreams: what was reported in one conversation bounds the
// counts of another one, and not by much.
func TestRatioBoundsUpstreams(t *testing.T) {
	for _, u := range upstreams {
		t.Run(u.model, func(t *testing.T) {
			m := New(Options{}).For(u.model)
			c := newConversation(t, u.model, 11)
			for range 20 {
				req := c.request()
				m.Observe(m.estimate(req), u.count(m, req))
				c.turn()
			}
			other := newConversation(t, u.model, 12)
			most := 1.0
			if m.generation != nil {
				most = 1.03 // the kinds of texts are known from a sample
			}
			for turn := range 30 {
				other.turn()
				req := other.request()
				bound := m.Ratio(req.Raw()) * float64(m.Request(req).Total)
				share := float64(u.count(m, req)) / bound
				if turn >= 5 && (share > most || share < min(0.92, u.ratio-0.03)) {
					t.Errorf("turn %d: the upstream counts %.3f of the bound", turn, share)
				}
			}
		})
	}
}
