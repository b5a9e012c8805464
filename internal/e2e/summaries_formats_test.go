package e2e

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakemessages"
	"killick/internal/fakeresponses"
	"killick/internal/fakeupstream"
	"killick/messages"
	"killick/prices"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

// upstreamSaw is a request as a scripted upstream saw it.
type upstreamSaw struct {
	asked          string // what a model is asked for, "" for a turn of the agent
	header         http.Header
	body           []byte
	status         int
	prompt, cached int // tokens
	completion     int
	refused        string
}

// worker is an agent that thinks, calls a tool for each step of its work and now and then says
// what it did, in one wire format, behind a proxy that has its model write.
type worker struct {
	*writingGateway
	format   view.Format
	path     string
	head     string // leading members of its requests
	header   []string
	list     []string // of its messages
	requests func() []upstreamSaw

	mu   sync.Mutex
	step int
}

// scriptedTask returns what a model that is asked by us answers, and for what it was asked.
func scriptedTask(f view.Format, body []byte) (text, asked string) {
	req, err := view.Parse(f, body)
	if err != nil {
		return "", ""
	}
	reply, ok := (&fakeupstream.Scripted{}).Reply(req)
	if !ok {
		return "", ""
	}
	return reply.Content, fakeupstream.Asked(req)
}

// line is what the agent says at a step, and the path that it reads there, "" at the last of a
// user's task.
func (w *worker) line() (text, path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.step%6 == 5 {
		return fmt.Sprintf("I fixed the invoice of step_%d and decided to use channel%d instead "+
			"of mutex%d.", w.step, w.step, w.step), ""
	}
	return fmt.Sprintf("Next I will read step_%d.go.", w.step),
		fmt.Sprintf("internal/billing/step_%d.go", w.step)
}

// newWorker starts one, whose upstream is at base.
func newWorker(t *testing.T, w *worker, base string, set func(*config.Config)) *worker {
	t.Helper()
	c := balanced()
	c.Upstream.BaseURL = base
	c.Cache.InMemory = true
	c.Compaction.Summarizer = "model"
	c.Compaction.Trigger, c.Compaction.Target = 16000, 6000
	c.Compaction.MinMaskTokens = 100000 // summaries, not masks
	c.Probe.OnError = config.OnErrorAccept
	c.Models = map[string]config.ModelSpec{
		"*": {Prices: prices.Model{Input: 1, Cached: 0.1, Output: 5}}}
	if set != nil {
		set(&c)
	}
	w.writingGateway = &writingGateway{log: &proxytest.Log{}}
	a, url := serving(t, c, slog.New(slog.NewTextHandler(w.log, nil)))
	admin := httptest.NewServer(a.Proxy.AdminHandler())
	t.Cleanup(admin.Close)
	w.url, w.metrics = url, func() string { return get(t, admin.URL+"/metrics") }
	return w
}

// claude is a worker of a model of Anthropic's, at an upstream that verifies its thinking.
func claude(t *testing.T, members string, set func(*config.Config)) *worker {
	t.Helper()
	w := &worker{format: messages.Format, path: "/v1/messages", header: []string{
		"X-Api-Key", "sk-client", "Anthropic-Version", "2023-06-01", "Anthropic-Beta", "beta-1"}}
	w.head = `{` + members + `,"system":[{"type":"text","text":"You are a careful agent. ` +
		strings.Repeat("Be careful. ", 300) + `","cache_control":{"type":"ephemeral"}}],` +
		`"tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[`
	w.list = []string{`{"role":"user","content":"Repair the billing service. Never touch ` +
		`db/migrations. It listens on port 8443."}`}
	s := fakemessages.New(fakemessages.Config{Record: true, Keys: []string{"sk-client"},
		Reply: func(r *fakemessages.Request) fakemessages.Reply {
			if text, asked := scriptedTask(messages.Format, r.Body); asked != "" {
				return fakemessages.Reply{Blocks: []fakemessages.Content{fakemessages.Text(text)}}
			}
			text, path := w.line()
			blocks := []fakemessages.Content{fakemessages.Text(text)}
			if path != "" {
				blocks = append(blocks, fakemessages.Call("", "read", `{"path":"`+path+`"}`))
			}
			return fakemessages.Reply{Blocks: blocks}
		}})
	t.Cleanup(s.Close)
	w.requests = func() (all []upstreamSaw) {
		for _, r := range s.Requests() {
			_, asked := scriptedTask(messages.Format, r.Body)
			all = append(all, upstreamSaw{
				asked: asked, header: r.Header, body: r.Body, status: r.Status,
				prompt: r.Usage.Prompt(), cached: r.Usage.CacheReadTokens,
				completion: r.Usage.OutputTokens, refused: r.Refused,
			})
		}
		return all
	}
	return newWorker(t, w, s.URL()+"/v1", set)
}

// codex is a worker of a model of OpenAI's that answers over the Responses API.
func codex(t *testing.T, set func(*config.Config)) *worker {
	t.Helper()
	w := &worker{format: responses.Format, path: responsesPath,
		header: []string{"Authorization", "Bearer sk-client"}}
	w.head = `{"model":"gpt-5.6","store":false,"include":["reasoning.encrypted_content"],` +
		`"prompt_cache_key":"k","reasoning":{"effort":"high"},"instructions":"You are a careful ` +
		`agent. ` + strings.Repeat("Be careful. ", 300) + `","tools":[{"type":"function",` +
		`"name":"read","parameters":{"type":"object"}}],"input":[`
	w.list = []string{`{"type":"message","role":"user","content":"Repair the billing service. ` +
		`Never touch db/migrations. It listens on port 8443."}`}
	s := fakeresponses.New(fakeresponses.Config{Record: true, Keys: []string{"sk-client"},
		Reply: func(r *fakeresponses.Request) fakeresponses.Reply {
			body, _ := json.Marshal(r.Body)
			if text, asked := scriptedTask(responses.Format, body); asked != "" {
				return fakeresponses.Reply{Content: text}
			}
			text, path := w.line()
			reply := fakeresponses.Reply{Content: text}
			if path != "" {
				reply.Calls = []fakeresponses.Call{{Name: "read", Input: `{"path":"` + path + `"}`}}
			}
			return reply
		}})
	t.Cleanup(s.Close)
	w.requests = func() (all []upstreamSaw) {
		for _, r := range s.Requests() {
			_, asked := scriptedTask(responses.Format, r.Body)
			all = append(all, upstreamSaw{
				asked: asked, header: r.Header, body: r.Body, status: r.Status,
				prompt: r.Usage.Input, cached: r.Usage.Cached, completion: r.Usage.Output,
			})
		}
		return all
	}
	return newWorker(t, w, s.URL(), set)
}

// work has the agent do so many steps, and waits after each until nothing is prepared. It returns
// how often the reply said that turns were folded.
func (w *worker) work(t *testing.T, steps int) (folded int) {
	t.Helper()
	for range steps {
		marked := slices.Clone(w.list)
		if w.format == messages.Format {
			last := &marked[len(marked)-1]
			*last = withMark(*last)
		}
		body := []byte(w.head + strings.Join(marked, ",") + `]}`)
		f := ask(t, w.url+w.path, body, append(w.header, "Content-Type", "application/json")...)
		if f.status != http.StatusOK {
			t.Fatalf("step %d: status %d: %s", w.step, f.status, f.reply)
		}
		if f.did("summary") {
			folded++
		}
		w.settle(t)
		w.hear(rawjson.Value(f.reply))
		w.mu.Lock()
		w.step++
		w.mu.Unlock()
	}
	return folded
}

// withMark returns a message of the user with a cache mark on its last block.
func withMark(message string) string {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	if body, ok := strings.CutSuffix(message, `}]}`); ok {
		return body + mark + `}]}`
	}
	text := string(rawjson.Value(message).Get("content"))
	return `{"role":"user","content":[{"type":"text","text":` + text + mark + `}]}`
}

// hear adds what the model answered, and what its call returns or the user says to it.
func (w *worker) hear(reply rawjson.Value) {
	text := string(rawjson.AppendQuoted(nil, fmt.Sprintf("func SendInvoice%d(id string) error { "+
		"// retries=%d\n", w.step, 1000+w.step)+strings.Repeat(fmt.Sprintf(
		"\tlog.Printf(\"invoice %d of account acct_%05d\")\n", w.step, 7*w.step), 40)))
	called := false
	if w.format == messages.Format {
		w.list = append(w.list,
			`{"role":"assistant","content":`+string(reply.Get("content"))+`}`)
		for block := range reply.Get("content").Elements() {
			if block.Get("type").Is("tool_use") {
				called = true
				w.list = append(w.list, `{"role":"user","content":[{"type":"tool_result",`+
					`"tool_use_id":`+string(block.Get("id"))+`,"content":`+text+`}]}`)
			}
		}
	}
	for item := range reply.Get("output").Elements() {
		w.list = append(w.list, string(item))
		if item.Get("type").Is("function_call") {
			called = true
			w.list = append(w.list, `{"type":"function_call_output","call_id":`+
				string(item.Get("call_id"))+`,"output":`+text+`}`)
		}
	}
	if !called {
		w.list = append(w.list, fmt.Sprintf(`{"role":"user","content":"Go on with step %d."}`,
			w.step+1))
	}
}

// The client's own model writes statements in every format, after conversations with thinking and
// running loops of tools: nothing is refused, nearly all of the calls is read from the cache, what
// was prepared is used, and what it came to is counted.
func TestSummariesInTheFormatOfTheRequest(t *testing.T) {
	for name, start := range map[string]func(*testing.T, func(*config.Config)) *worker{
		"thinking that is checked": func(t *testing.T, set func(*config.Config)) *worker {
			return claude(t, `"model":"claude-opus-5-5","max_tokens":32000,`+
				`"thinking":{"type":"adaptive"}`, set)
		},
		"thinking by hand": func(t *testing.T, set func(*config.Config)) *worker {
			return claude(t, `"model":"claude-sonnet-4-5","max_tokens":16000,`+
				`"thinking":{"type":"enabled","budget_tokens":4000}`, set)
		},
		"encrypted reasoning": codex,
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, nil)
			folded := w.work(t, 50)
			if n := w.metric(t, `killick_compactions_total{outcome="summary_by_model"}`); n == 0 {
				t.Errorf("%d turns with a summary, %v with a model's; %s", folded, n, w.log)
			}
			asked, ours := map[string]int{}, upstreamSaw{}
			behind := upstreamSaw{}
			for _, r := range w.requests() {
				if r.status != http.StatusOK {
					t.Errorf("asking for %q: status %d: %s", r.asked, r.status, r.refused)
				}
				if r.asked == "" {
					continue
				}
				asked[r.asked]++
				ours.prompt, ours.cached = ours.prompt+r.prompt, ours.cached+r.cached
				ours.completion += r.completion
				if r.asked == "statements" || r.asked == "questions" {
					behind.prompt, behind.cached = behind.prompt+r.prompt, behind.cached+r.cached
				}
				for i := 0; i < len(w.header); i += 2 {
					if got := r.header.Get(w.header[i]); got != w.header[i+1] {
						t.Errorf("asked for %s with %s %q, want the client's", r.asked,
							w.header[i], got)
					}
				}
			}
			for _, task := range []string{"statements", "verdicts", "questions", "answers"} {
				if asked[task] == 0 {
					t.Errorf("nobody was asked for %s: %v", task, asked)
				}
			}
			share := float64(behind.cached) / float64(max(1, behind.prompt))
			if share < 0.9 {
				t.Errorf("%.1f%% of %d prompt tokens were cache hits, want 90%%", 100*share,
					behind.prompt)
			}
			t.Logf("%d folded turns; %.1f%% of %d prompt tokens of our calls after the "+
				"conversation were cache hits; asked for %v", folded, 100*share, behind.prompt,
				asked)
			for kind, want := range map[string]int{
				"prompt": ours.prompt, "cached": ours.cached, "completion": ours.completion,
			} {
				series := `killick_model_tokens_total{kind="` + kind + `"}`
				if got := w.metric(t, series); got != float64(want) {
					t.Errorf("the metric counts %v %s tokens, the upstream %d", got, kind, want)
				}
			}
			cost := (float64(ours.prompt-ours.cached) + 0.1*float64(ours.cached) +
				5*float64(ours.completion)) / 1e6
			got := w.metric(t, "killick_model_cost_dollars_total ")
			if got < 0.999*cost || got > 1.001*cost {
				t.Errorf("the metric counts US$ %v, want %v", got, cost)
			}
			if strings.Contains(w.log.String(), "sk-client") {
				t.Error("the log holds the client's key")
			}
		})
	}
}

// A request that is only observed has nothing asked on its behalf, in any format.
func TestObservedRequestsAskNoModel(t *testing.T) {
	observe := func(c *config.Config) { c.Compaction.Mode = "observe" }
	for name, w := range map[string]*worker{
		"messages": claude(t, `"model":"claude-sonnet-4-5","max_tokens":16000`, observe),
		"items":    codex(t, observe),
	} {
		if w.work(t, 34); w.metric(t, "killick_model_calls_total ") != 0 {
			t.Errorf("%s: a model was called", name)
		}
		for _, r := range w.requests() {
			if r.asked != "" {
				t.Errorf("%s: the upstream was asked for %s", name, r.asked)
			}
		}
	}
}

// A model of the operator's at an address of its own gets nothing of what the client sent to its
// upstream to say who it is; at the upstream of the request it is asked as that is.
func TestSummariesByAnotherModelInEachFormat(t *testing.T) {
	if testing.Short() {
		t.Skip("what runs at once is the same as when the client's model writes")
	}
	for _, key := range []string{"sk-operator", ""} {
		writer := newOtherModel(t)
		elsewhere := func(c *config.Config) {
			c.Model.Name, c.Model.BaseURL, c.Model.APIKey = "gpt-4o-mini", writer.URL(),
				config.Secret(key)
		}
		for name, w := range map[string]*worker{
			"messages": claude(t, `"model":"claude-sonnet-4-5","max_tokens":16000`, elsewhere),
			"items":    codex(t, elsewhere),
		} {
			writer.Reset()
			w.work(t, 34)
			if len(writer.Requests()) == 0 {
				t.Errorf("%s: the model was not asked; %s", name, w.log)
			}
			wantAskedWith(t, writer, key)
			for _, r := range writer.Requests() {
				for i := 0; i < len(w.header); i += 2 {
					if w.header[i] != "Authorization" && r.Header.Get(w.header[i]) != "" {
						t.Errorf("%s: %s went to another upstream", name, w.header[i])
					}
				}
			}
			for _, r := range w.requests() {
				if r.asked != "" {
					t.Errorf("%s: the upstream was asked for %s", name, r.asked)
				}
			}
		}
	}
	named := func(c *config.Config) { c.Model.Name = "claude-haiku-4-5" }
	w := claude(t, `"model":"claude-sonnet-4-5","max_tokens":16000`, named)
	w.work(t, 34)
	asked := 0
	for _, r := range w.requests() {
		if r.asked == "" {
			continue
		}
		asked++
		if !rawjson.Value(r.body).Get("model").Is("claude-haiku-4-5") || r.status != 200 ||
			r.header.Get("X-Api-Key") != "sk-client" {
			t.Errorf("asked for %s: status %d, %.80s", r.asked, r.status, r.body)
		}
	}
	if asked == 0 {
		t.Errorf("the named model was not asked at the upstream of the request; %s", w.log)
	}
}
