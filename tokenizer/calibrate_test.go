package tokenizer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/chat"
	"killick/tokenizer/internal/corpus"
)

// upstream counts by a formula of its own, which the calibration must find.
type upstream struct {
	model      string
	ratio      float64 // of its tokenizer to ours
	wobble     float64 // by how much the ratio differs from message to message, at most
	perMessage int
	perCall    int
	toolsRatio float64
	constant   int
}

var upstreams = []upstream{
	{model: "gpt-4o", ratio: 1, perMessage: 2, perCall: 5, toolsRatio: 1.2, constant: 30},
	{model: "gpt-5.1", ratio: 1, perMessage: 0, perCall: 9, toolsRatio: 0.8, constant: -4},
	{model: "llama-3.3-70b", ratio: 1.06, wobble: 0.02, perMessage: 5, perCall: 20, toolsRatio: 1.5, constant: 25},
	{model: "qwen3-coder", ratio: 1.11, wobble: 0.03, perMessage: 2, perCall: 31, toolsRatio: 1.3, constant: 11},
	{model: "mistral-large", ratio: 1.24, wobble: 0.03, perMessage: 1, perCall: 9, toolsRatio: 1.1, constant: 1},
	{model: "claude-sonnet-4-5", ratio: 1.31, wobble: 0.03, perMessage: 4, perCall: 40, toolsRatio: 1.9, constant: 346},
	{model: "tiny-vocabulary", ratio: 1.7, wobble: 0.03, perMessage: 7, perCall: 0, toolsRatio: 2, constant: 60},
	{model: "large-vocabulary", ratio: 0.87, wobble: 0.02, perMessage: 3, perCall: 3, toolsRatio: 0.9, constant: 0},
}

// count is what the upstream reports for a request.
func (u upstream) count(m *Model, req *chat.Request) int {
	x := extrasOf(req)
	total := float64(u.constant+m.frame(x)) + u.toolsRatio*float64(m.tools(x))
	msgs := req.Messages()
	for i := range msgs {
		n := m.measure(&msgs[i])
		wobble := u.wobble * math.Sin(float64(n.tokens)*1.7+float64(i)) // any fixed function will do
		total += u.ratio*(1+wobble)*float64(n.tokens) + float64(u.perMessage+u.perCall*n.calls)
	}
	return int(math.Round(total))
}

// conversation is an agent's: a task, then turns of calls, results and words.
type conversation struct {
	t        testing.TB
	r        *rand.Rand
	model    string
	messages []string
}

func newConversation(t testing.TB, model string, seed uint64) *conversation {
	c := &conversation{t: t, r: rand.New(rand.NewPCG(seed, 1)), model: model}
	c.messages = []string{
		c.message("system", "You are a careful agent. "+c.words(400)),
		c.message("user", "Please change the parser. "+c.words(40)),
	}
	return c
}

func (c *conversation) words(n int) string {
	var b strings.Builder
	for n > 0 {
		sentence := corpus.Sentence(c.t, c.r)
		b.WriteString(sentence + ". ")
		n -= strings.Count(sentence, " ") + 1
	}
	return b.String()
}

func (c *conversation) message(role, text string) string {
	return fmt.Sprintf(`{"role":%q,"content":%s}`, role, chat.AppendQuoted(nil, text))
}

// turn adds what an assistant did and what came of it.
func (c *conversation) turn() {
	calls := c.r.IntN(3)
	if calls == 0 {
		c.messages = append(c.messages, c.message("assistant", c.words(120)), c.message("user", c.words(30)))
		return
	}
	var b, results []string
	for i := range calls {
		id := fmt.Sprintf("call_%d_%d", len(c.messages), i)
		args := chat.AppendQuoted(nil, fmt.Sprintf(`{"path":"src/%d.go","text":%q}`, c.r.IntN(1000), c.words(20)))
		b = append(b, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"edit_file","arguments":%s}}`, id, args))
		results = append(results, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, id, chat.AppendQuoted(nil, c.words(50+c.r.IntN(400)))))
	}
	c.messages = append(c.messages, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[%s]}`, strings.Join(b, ",")))
	c.messages = append(c.messages, results...)
}

const toolsOfTests = `[{"type":"function","function":{"name":"edit_file","description":"Change a file of the project. The text replaces the whole of it.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"where the file is, from the root of the project"},"text":{"type":"string","description":"all of the new text"},"mode":{"type":"string","enum":["create","replace"],"default":"replace"}},"required":["path","text"]}}}]`

func (c *conversation) request() *chat.Request {
	return parse(c.t, fmt.Sprintf(`{"model":%q,"tools":%s,"messages":[%s]}`, c.model, toolsOfTests, strings.Join(c.messages, ",")))
}

func offBy(estimate, truth int) float64 { return math.Abs(float64(estimate-truth)) / float64(truth) }

// TestCalibration: after five turns the estimate of what an upstream will count
// is within one percent, whatever its formula.
func TestCalibration(t *testing.T) {
	for _, u := range upstreams {
		t.Run(u.model, func(t *testing.T) {
			m := New(Options{}).For(u.model)
			c := newConversation(t, u.model, 11)
			passed, n := 0, 0
			for turn := range 30 {
				req := c.request()
				truth, v := u.count(m, req), m.View("", req)
				if got := m.Request(req).Total; v.Pinned != got {
					t.Fatalf("turn %d: pinned %d, want %d whatever was learnt", turn, v.Pinned, got)
				}
				e := v.Estimate()
				if turn >= 5 {
					if off := offBy(e.Tokens, truth); off > 0.01 {
						t.Errorf("turn %d: estimate %d (pinned %d), want %d: off by %.2f%%", turn, e.Tokens, v.Pinned, truth, 100*off)
					}
					if n++; e.Upper < truth {
						passed++
					}
				}
				if !v.Observe(truth) && turn > 2 {
					t.Errorf("turn %d: the true count %d was not believed, estimate %+v", turn, truth, e)
				}
				c.turn()
			}
			if passed > n/10 {
				t.Errorf("%d of %d counts passed the upper estimate", passed, n)
			}

			// What was learnt serves another conversation from its first turn on.
			other := newConversation(t, u.model, 12)
			other.turn()
			other.turn()
			req := other.request()
			if e, truth := m.View("", req).Estimate(), u.count(m, req); offBy(e.Tokens, truth) > 0.04 {
				t.Errorf("first turn of another conversation: estimate %d, want %d", e.Tokens, truth)
			}
		})
	}
}

// TestCalibrationBroadly: over many conversations an estimate that is off by more
// than one percent after five turns is rare, and never far off.
func TestCalibrationBroadly(t *testing.T) {
	n, off1, worst := 0, 0, 0.0
	for _, u := range upstreams {
		for seed := range uint64(30 / corpus.Slower) {
			m := New(Options{}).For(u.model)
			c := newConversation(t, u.model, 100+seed)
			for turn := range 20 {
				req := c.request()
				truth, v := u.count(m, req), m.View("", req)
				if off := offBy(v.Estimate().Tokens, truth); turn >= 5 {
					worst = max(worst, off)
					if n++; off > 0.01 {
						off1++
					}
				}
				v.Observe(truth)
				c.turn()
			}
		}
	}
	t.Logf("%d of %d estimates off by more than 1%%, the worst by %.1f%%", off1, n, 100*worst)
	if off1 > n/200 || worst > 0.04 {
		t.Errorf("%d of %d estimates off by more than 1%%, the worst by %.1f%%; want at most one in 200, and 4%%", off1, n, 100*worst)
	}
}

// TestWrongUsage: numbers that are no counts leave the estimates alone.
func TestWrongUsage(t *testing.T) {
	faults := map[string]func(truth, turn int) int{
		"zero":              func(truth, turn int) int { return 0 },
		"negative":          func(truth, turn int) int { return -truth },
		"one":               func(truth, turn int) int { return 1 },
		"without the cache": func(truth, turn int) int { return truth % 1024 },
		"characters":        func(truth, turn int) int { return 4 * truth },
		"overflow":          func(truth, turn int) int { return math.MaxInt },
		"60%":               func(truth, turn int) int { return truth * 6 / 10 },
		"150%":              func(truth, turn int) int { return truth * 3 / 2 },
		"of another":        func(truth, turn int) int { return 7000 + turn*911%3000 },
	}
	for name, fault := range faults {
		for _, u := range upstreams {
			t.Run(name+"/"+u.model, func(t *testing.T) {
				m := New(Options{}).For(u.model)
				c := newConversation(t, u.model, 13)
				for turn := range 30 {
					req := c.request()
					truth, v := u.count(m, req), m.View("", req)
					if off := offBy(v.Estimate().Tokens, truth); turn >= 7 && off > 0.02 {
						t.Errorf("turn %d: estimate %d, want %d: off by %.2f%%", turn, v.Estimate().Tokens, truth, 100*off)
					}
					if turn%4 == 3 {
						v.Observe(fault(truth, turn))
					} else {
						v.Observe(truth)
					}
					c.turn()
				}
			})
		}
	}
}

// TestWrongFirst: a conversation whose first report was wrong finds the truth.
func TestWrongFirst(t *testing.T) {
	for _, u := range upstreams {
		for _, share := range []float64{0.6, 0.8, 1.3} {
			t.Run(fmt.Sprintf("%s/%v", u.model, share), func(t *testing.T) {
				m := New(Options{}).For(u.model)
				c := newConversation(t, u.model, 14)
				for turn := range 12 {
					req := c.request()
					truth, v := u.count(m, req), m.View("", req)
					e := v.Estimate()
					if off := offBy(e.Tokens, truth); turn >= 8 && off > 0.015 {
						t.Errorf("turn %d: estimate %d, want %d: off by %.2f%%", turn, e.Tokens, truth, 100*off)
					}
					if turn == 0 {
						truth = int(share * float64(truth))
					}
					v.Observe(truth)
					c.turn()
				}
			})
		}
	}
}

// TestNeverRight: an upstream whose usage is always wrong by a lot teaches nothing.
func TestNeverRight(t *testing.T) {
	for _, model := range []string{"gpt-4o", "qwen3-coder"} {
		for name, fault := range map[string]func(truth int) int{
			"uncached only": func(truth int) int { return truth % 900 },
			"constant":      func(int) int { return 17 },
			"characters":    func(truth int) int { return 4 * truth },
		} {
			t.Run(model+"/"+name, func(t *testing.T) {
				m := New(Options{}).For(model)
				c := newConversation(t, model, 15)
				for turn := range 20 {
					c.turn()
					req := c.request()
					v := m.View("", req)
					if e := v.Estimate(); e.Tokens < v.Pinned || e.Upper > v.Pinned*3/2+300 {
						t.Fatalf("turn %d: estimate %+v, want it between the pinned %d and half as much again", turn, e, v.Pinned)
					}
					if v.Observe(fault(v.Pinned)) {
						t.Fatalf("turn %d: %d was believed for a request of %d", turn, fault(v.Pinned), v.Pinned)
					}
				}
			})
		}
	}
}

// TestScope: an anchor serves its own scope only.
func TestScope(t *testing.T) {
	m := New(Options{}).For("gpt-4o")
	req := newConversation(t, "gpt-4o", 16).request()
	v := m.View("a", req)
	if !v.Observe(v.Pinned + 20) {
		t.Fatal("the count was not believed")
	}
	if e := m.View("a", req).Estimate(); e.Tokens != v.Pinned+20 || e.Anchored != 2 {
		t.Errorf("in the same scope: %+v, want %d tokens, anchored at 2 messages", e, v.Pinned+20)
	}
	if e := m.View("b", req).Estimate(); e.Anchored != 0 {
		t.Errorf("in another scope: %+v, want no anchor", e)
	}
}
