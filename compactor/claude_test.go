package compactor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/compactor/layout"
	"killick/internal/fakemessages"
	"killick/messages"
	"killick/tokenizer"
	"killick/view"
)

// claudeAgent is an agent that speaks the Messages API: it sends all of the conversation with each
// request, and what the model answered as received.
type claudeAgent struct {
	t        *testing.T
	rng      *rand.Rand
	head     string // of a body, up to its messages
	parallel int    // calls at most, of one turn in eight
	finds    bool   // results name tools that may be called from there on
	elements []string
	turns    int
}

// reply is what the model answers: calls, and now and then a text.
func (a *claudeAgent) reply(*fakemessages.Request) fakemessages.Reply {
	a.turns++
	if a.turns%9 == 0 {
		return fakemessages.Reply{Blocks: []fakemessages.Content{
			fakemessages.Text(fmt.Sprintf("Step %d is done.", a.turns))}}
	}
	var calls []fakemessages.Content
	if a.rng.IntN(2) == 0 {
		calls = append(calls, fakemessages.Text("Next I look at a file."))
	}
	n := 1 + a.rng.IntN(3)
	if a.turns%8 == 7 {
		n = a.parallel
	}
	for range n {
		input := fmt.Sprintf(`{"path":"src/file_%d.go"}`, a.rng.IntN(50))
		calls = append(calls, fakemessages.Call("", "read", input))
	}
	return fakemessages.Reply{Blocks: calls}
}

// answer adds the model's reply and what follows it.
func (a *claudeAgent) answer(reply []byte) {
	var message struct {
		Content []json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(reply, &message); err != nil {
		a.t.Fatal(err)
	}
	var blocks, results []string
	for _, raw := range message.Content {
		blocks = append(blocks, string(raw))
		var block struct{ Type, ID string }
		if err := json.Unmarshal(raw, &block); err != nil {
			a.t.Fatal(err)
		}
		if block.Type != "tool_use" {
			continue
		}
		output := fmt.Sprintf("%d\tfunc Handle%d() error {\n", a.turns, a.rng.IntN(1000))
		content := fmt.Sprintf("%q", strings.Repeat(output, 1+a.rng.IntN(40)))
		if a.finds && a.turns%20 == 5 {
			content = `[{"type":"tool_reference","tool_name":"read"}]`
		}
		results = append(results, fmt.Sprintf(
			`{"type":"tool_result","tool_use_id":%q,"content":%s}`, block.ID, content))
	}
	if len(results) == 0 || a.turns%5 == 0 {
		results = append(results, fmt.Sprintf(
			`{"type":"text","text":"Then go on with step %d of the plan, please."}`, a.turns))
	}
	a.elements = append(a.elements,
		`{"role":"assistant","content":[`+strings.Join(blocks, ",")+`]}`,
		`{"role":"user","content":[`+strings.Join(results, ",")+`]}`)
}

// body is the next request, with a mark on the last block, as Claude Code sets it.
func (a *claudeAgent) body() []byte {
	last := len(a.elements) - 1
	marked := strings.TrimSuffix(a.elements[last], "}]}") +
		`,"cache_control":{"type":"ephemeral"}}]}`
	all := append(append([]string{}, a.elements[:last]...), marked)
	return []byte(a.head + strings.Join(all, ",") + "]}")
}

// claudeSession is a session of such an agent.
type claudeSession struct {
	model, thinking string
	parallel        int
	finds           bool
	truncateOver    int
}

func (c *claudeSession) agent(t *testing.T) *claudeAgent {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	text := func(s string, mark string) string {
		return `{"type":"text","text":"` + s + `"` + mark + `}`
	}
	system := text("You are an agent.", mark) + "," +
		text(strings.Repeat("Work with care. ", 200), mark)
	return &claudeAgent{
		t: t, rng: rand.New(rand.NewPCG(5, 6)), parallel: c.parallel, finds: c.finds,
		head: `{"model":"` + c.model + `","max_tokens":4000,"thinking":` + c.thinking +
			`,"tools":[{"name":"read","input_schema":{"type":"object"}}],"system":[` + system +
			`],"messages":[`,
		elements: []string{`{"role":"user","content":[` +
			text("Fix the login. Never touch the migrations.", "") + `]}`},
	}
}

// run sends so many requests and returns how often the session was folded.
func (c *claudeSession) run(t *testing.T, a *claudeAgent, s *fakemessages.Server, n int) int {
	policy := small
	policy.Trigger, policy.Target, policy.RecordTokens = 6000, 3000, 900
	policy.WorkingSetTokens = 400
	policy.TruncateOver = c.truncateOver
	counter := tokenizer.New(tokenizer.Options{})
	e := New(Options{
		Policy: policy, Store: newMemStore(),
		// Bytes would count a mark, which moves.
		Counter: func(_, model string) layout.Counter { return counter.For(model) },
	})
	client := newClient(t)
	folds, last := 0, ""
	for range n {
		r, err := view.Parse(messages.Format, a.body())
		if err != nil {
			t.Fatal(err)
		}
		res := e.Compact(t.Context(), r, "ann")
		if len(res.FailOpens) > 0 {
			t.Errorf("turn %d: %+v", a.turns, res.FailOpens)
		}
		sent, err := view.Parse(messages.Format, res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if record := fmt.Sprint(recordsIn(sent)); record != last {
			folds, last = folds+1, record
		}
		reply, err := sendMessages(client, s, res.Body)
		if err != nil {
			t.Fatalf("turn %d: %v\n%.1000s", a.turns, err, sent.Field("messages"))
		}
		a.answer(reply)
	}
	return folds
}

// An agent's session is folded many times, and the API accepts every form of it: the thinking, the
// calls and the marks. Its cache reads nearly as much as one that finds the longest prefix.
func TestSessionsOfClaudeAreAccepted(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing in it that it does not in shorter ones")
	}
	const adaptive, byHand = `{"type":"adaptive"}`, `{"type":"enabled","budget_tokens":1024}`
	for name, session := range map[string]claudeSession{
		"checks prefixes": {model: "claude-opus-5-5", thinking: adaptive, parallel: 4},
		"parallel calls":  {model: "claude-opus-5-5", thinking: adaptive, parallel: 14},
		"tools are found": {
			model: "claude-sonnet-5-5", thinking: adaptive, parallel: 4, finds: true,
		},
		"checks nothing":   {model: "claude-opus-5", thinking: adaptive, parallel: 4, finds: true},
		"thinking by hand": {model: "claude-sonnet-4-5", thinking: byHand, parallel: 4},
		"thinks not at all": {
			model: "claude-haiku-4-5", thinking: `null`, parallel: 4, finds: true,
		},
		"long outputs": {
			model: "claude-fable-5-2", thinking: adaptive, parallel: 3, finds: true,
			truncateOver: 200,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := session.agent(t)
			s := fakemessages.New(fakemessages.Config{
				Reply: a.reply, Record: true, CountsEveryBlock: session.parallel > 10,
			})
			defer s.Close()
			folds := session.run(t, a, s, 100)
			if folds < 6 {
				t.Errorf("folded %d times, want at least 6", folds)
			}
			read, possible := 0, 0
			for _, request := range s.Requests() {
				read, possible = read+request.Usage.CacheReadTokens, possible+request.ByPrefix
			}
			t.Logf("%d folds, %d of %d tokens read from the cache: %.1f%%", folds, read, possible,
				100*float64(read)/float64(possible))
			if read < possible*95/100 {
				t.Errorf("%d tokens read from the cache, of %d that it could", read, possible)
			}
		})
	}
}
