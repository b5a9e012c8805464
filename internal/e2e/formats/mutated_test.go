package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/convert"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakeconverse"
	"killick/internal/fakegemini"
	"killick/internal/fakemessages"
	"killick/internal/fakemessages/claude"
	"killick/internal/fakeollama"
	"killick/internal/fakeresponses"
	"killick/internal/fuzzed"
)

// oddBlocks are elements of the Messages API that a conversation seldom has, and where.
var oddBlocks = []string{
	`{"type":"text","text":"<system-reminder>x</system-reminder>"}`, `{"type":"text","text":""}`,
	`{"type":"thinking","thinking":"x","signature":"bm9uZQ=="}`,
	`{"type":"redacted_thinking","data":"bm9uZQ=="}`,
	`{"type":"tool_use","id":"call_1","name":"read_file","input":{}}`,
	`{"type":"tool_result","tool_use_id":"call_2","content":"again"}`,
	`{"type":"tool_result","tool_use_id":"call_2","content":[{"type":"tool_reference",` +
		`"tool_name":"read_file"}],"is_error":true}`,
	`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}`,
	`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`,
	`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`,
	`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}}`,
	`{"type":"compaction","content":null}`, `{"type":"from_the_future","x":[1,{"y":"z"}]}`,
	`{"type":"text","text":"marked","cache_control":{"type":"ephemeral","ttl":"1h"}}`,
	`{"role":"user","content":"Stop. Do the other thing first."}`,
	`{"role":"assistant","content":"I see."}`, `{"role":"system","content":"Answer in French."}`,
	`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b",` +
		`"cache_control":{"type":"ephemeral"}}]}`,
	`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"call_x",` +
		`"name":"read_file","input":{"path":"a"}}]},{"role":"user","content":[` +
		`{"type":"tool_result","tool_use_id":"call_x"}]}`,
}

// oddItems are items of the Responses API that a conversation seldom has.
var oddItems = []string{
	`{"type":"reasoning","id":"rs_1","summary":[]}`,
	`{"type":"reasoning","summary":[],"encrypted_content":"gAAAAAnone"}`,
	`{"type":"item_reference","id":"msg_1"}`, `{"id":"msg_1"}`,
	`{"type":"compaction","encrypted_content":"gAAAAAnone"}`, `{"type":"compaction_trigger"}`,
	`{"type":"function_call","call_id":"call_1","name":"read_file","arguments":"{}"}`,
	`{"type":"function_call_output","call_id":"call_2","output":"again"}`,
	`{"type":"function_call","call_id":"call_x","name":"read_file","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"call_x","output":[{"type":"input_text",` +
		`"text":"x"}]}`,
	`{"type":"custom_tool_call","call_id":"call_y","name":"patch","input":"*** Begin Patch"},` +
		`{"type":"custom_tool_call_output","call_id":"call_y","output":"ok"}`,
	`{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search",` +
		`"query":"x"}}`,
	`{"type":"additional_tools","role":"developer","tools":[]}`,
	`{"type":"from_the_future","x":[1]}`,
	`{"role":"user","content":"Stop. Do the other thing first."}`,
	`{"role":"developer","content":[{"type":"input_text","text":"Answer in French."}]}`,
	`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I see.",` +
		`"annotations":[]}],"phase":"commentary"}`,
	`{"type":"message","role":"user","content":[{"type":"input_text","text":"marked",` +
		`"prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"input_image","image_url":` +
		`"data:image/png;base64,iVBORw0KGgo=","detail":"auto"}]}`,
	`{"type":"input_text","text":"x"}`, `{"type":"output_text","text":"x"}`,
}

// oddParts are elements of Google's contents and parts that a conversation seldom has.
var oddParts = []string{
	`{"role":"user","parts":[{"text":"Stop. Do the other thing first."}]}`,
	`{"role":"model","parts":[{"text":"I see."}]}`, `{"parts":[{"text":"no role"}]}`,
	`{"role":"model","parts":[{"text":"hm","thought":true}]}`,
	`{"role":"function","parts":[{"functionResponse":{"name":"read_file","response":{}}}]}`,
	`{"functionResponse":{"name":"read_file","response":{"error":"none"}}}`,
	`{"functionResponse":{"id":"x","name":"read_file","response":{"result":[1,{"a":"b"}]}}}`,
	`{"functionResponse":{"name":"other","response":{"output":""}}}`,
	`{"functionCall":{"id":"x","name":"read_file","args":{}}}`,
	`{"text":"x","thoughtSignature":"c2ln"}`, `{"text":""}`, `{"fromTheFuture":{"x":[1]}}`,
	`{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}`,
	`{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"` +
		`c2ln667b7d"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`,
}

// oddConverse are elements of Converse's messages and contents that a conversation seldom has.
var oddConverse = []string{
	`{"role":"user","content":[{"text":"Stop. Do the other thing first."}]}`,
	`{"role":"assistant","content":[{"text":"I see."}]}`, `{"text":""}`, `{"text":"x"}`,
	`{"role":"assistant","content":[{"text":"a"},{"toolUse":{"toolUseId":"x","name":"f",` +
		`"input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"x","content":[]}}]}`,
	`{"role":"assistant","content":[{"text":"I see."}]},{"content":[{"text":"Go on."},` +
		`{"cachePoint":{"type":"default"}}],"role":"user"}`,
	`{"reasoningContent":{"reasoningText":{"text":"hm","signature":"bm9uZQ=="}}}`,
	`{"toolUse":{"toolUseId":"ta1","name":"read_file","input":{}}}`,
	`{"toolResult":{"toolUseId":"ta2","content":[{"text":"again"}],"status":"error"}}`,
	`{"toolResult":{"toolUseId":"ta1","content":[{"json":{"a":[1]}},{"image":{"format":"png",` +
		`"source":{"bytes":"iVBORw0KGgo="}}}]}}`,
	`{"cachePoint":{"type":"default"}}`, `{"cachePoint":{"type":"default","ttl":"1h"}}`,
	`{"guardContent":{"text":{"text":"x"}}}`, `{"fromTheFuture":{"x":[1]}}`,
	`{"citationsContent":{"content":[{"text":"x"}],"citations":[]}}`,
	`{"document":{"format":"txt","name":"x","source":{"text":"x"}}}`,
	`{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}}`,
}

// oddOllama are messages and calls of Ollama's that a conversation seldom has.
var oddOllama = []string{
	`{"role":"user","content":"Stop. Do the other thing first."}`,
	`{"role":"assistant","content":"I see.","thinking":"hm"}`, `{"role":"user"}`,
	`{"role":"system","content":"Answer in French."}`, `{"role":"narrator","content":"x"}`,
	`{"role":"user","content":"","images":["iVBORw0KGgo="]}`, `{"role":"user","content":["x"]}`,
	`{"role":"tool","content":"again"}`, `{"role":"tool","content":"again","tool_name":"f"}`,
	`{"role":"tool","content":"again","tool_call_id":"b"}`,
	`{"role":"tool","content":"seen","images":["iVBORw0KGgo="]}`,
	`{"id":"b","function":{"name":"read_file","arguments":{}}}`,
	`{"function":{"name":"read_file","arguments":"{}"}}`, `{"fromTheFuture":{"x":[1]}}`,
	`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},` +
		`{"role":"tool","content":"x"}`,
}

// mutant sends mutated requests of one format through the proxy, and what was changed of them also
// straight to the upstream.
type mutant struct {
	*lane
	proxy string
	bases [][]byte
	odd   []string

	mu     sync.Mutex
	counts map[string]int
}

const idHeader = "X-Test-Id"

// try sends the mutant of a seed and returns what is wrong with what became of it.
func (m *mutant) try(t *testing.T, seed uint64) (wrong []string) {
	rng := rand.New(rand.NewPCG(seed, 7))
	data := make([]byte, 60)
	for i := range data {
		data[i] = byte(rng.UintN(256))
	}
	in := fuzzed.Mutated(m.bases[seed%uint64(len(m.bases))], data, m.odd)
	a, out, err := m.send(t, m.proxy, in, fmt.Sprint(seed))
	switch {
	case err != nil:
		return []string{"no reply: " + err.Error()}
	case out == nil:
		return []string{fmt.Sprintf("not forwarded: %d %.200s", a.Status, a.Body)}
	case a.Status >= 500:
		wrong = append(wrong, fmt.Sprintf("status %d", a.Status))
	}
	if seed%8 == 0 {
		_, again, _ := m.send(t, m.proxy, in, fmt.Sprint(seed, " again"))
		if !bytes.Equal(out, again) {
			wrong = append(wrong, "sent again, it was forwarded as something else")
		}
	}
	if bytes.Equal(in, out) {
		m.count("as it came: " + a.Header.Get("Killick-Reason"))
		return wrong
	}
	if !json.Valid(out) {
		wrong = append(wrong, "no JSON was made of it")
	}
	straight, _, err := m.send(t, m.base, in, fmt.Sprint(seed, " straight"))
	switch {
	case err != nil:
		wrong = append(wrong, err.Error())
	case straight.Status == 200 && a.Status != 200:
		wrong = append(wrong, fmt.Sprintf("refused, and is not as the client sent it: %.300s",
			a.Body))
	case straight.Status == 200:
		m.count("compacted")
	case a.Status == 200:
		m.count("compacted, would be refused as it came")
	default:
		m.count("refused either way")
	}
	return wrong
}

func (m *mutant) count(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[what]++
}

// send sends a body and returns what the upstream got last of it, nil for nothing.
func (m *mutant) send(
	t *testing.T, to string, body []byte, id string,
) (a proxytest.Answer, out []byte, err error) {
	path := m.path
	if rest, found := strings.CutPrefix(path, "/v1/"); found && to == m.base {
		path = "/" + rest
	}
	a, err = proxytest.Try(t.Context(), "POST", to+path, body,
		append([]string{idHeader, id}, m.header...)...)
	for _, r := range m.requests() {
		if r.Header.Get(idHeader) == id {
			out = r.Body
		}
	}
	return a, out, err
}

// Whatever a client sends in any format, the proxy fails none of it: what the upstream gets are the
// client's bytes, or a request that it takes where it would have taken those. KILLICK_MUTATED is
// how many are sent in each format, from the seed KILLICK_MUTATED_FROM on.
func TestMutatedRequests(t *testing.T) {
	n, from := proxytest.Amount(t, "KILLICK_MUTATED", 500, 100)
	for _, m := range mutants(t) {
		t.Run(m.format.Name(), func(t *testing.T) {
			d := newDeployment(t, m.base, func(c *config.Config) {
				between(3000, 1500)(c)
				c.Compaction.MinMaskTokens, c.Compaction.Ingest = 20, 1000
			})
			r := d.start(t)
			m.proxy = r.Public
			began := time.Now()
			for i := range n {
				seed := uint64(from + i)
				for _, wrong := range m.try(t, seed) {
					t.Errorf("seed %d: %s", seed, wrong)
				}
				m.reset()
			}
			t.Logf("%d requests in %v: %v", n, time.Since(began).Round(time.Second), m.counts)
			if m.counts["compacted"] < n/20 {
				t.Error("hardly anything was compacted: little is shown")
			}
			if n := r.total(t, "panics_total"); n != 0 {
				t.Errorf("%d panics", n)
			}
		})
	}
}

func mutants(t *testing.T) []*mutant {
	chat := looping(model, 14, 1500)
	signed := newTalk(t, looping(checking, 14, 1500), adaptive, true)
	manually := newTalk(t, looping(manual, 14, 1500), enabled, true, interleaved...)
	for range signed.turns {
		signed.ask(t, signed.up.URL())
		manually.ask(t, signed.up.URL())
	}
	reasoned := newDialog(t, looping("gpt-5.1", 14, 1500), fakeresponses.Config{}, "")
	for range reasoned.turns {
		reasoned.ask(t, reasoned.up.URL()[:len(reasoned.up.URL())-len("/v1")])
	}
	plain, err := convert.Messages(chat)
	if err != nil {
		t.Fatal(err)
	}
	of := func(l *lane, odd []string, bases ...[]byte) *mutant {
		return &mutant{lane: l, odd: odd, bases: bases, counts: map[string]int{}}
	}
	claude := messagesLane(t, fakemessages.Config{
		Models: map[string]claude.Model{model: anyModel},
	})
	claude.header = append(claude.header, interleaved...)
	return []*mutant{
		of(claude, oddBlocks, plain, signed.last, plain, manually.last),
		of(responsesLane(t, fakeresponses.Config{}), oddItems, convert.Responses(chat),
			reasoned.last),
		of(geminiLane(t, fakegemini.Config{Signs: true}), oddParts, geminiSession(14),
			geminiSession(8)),
		of(assistLane(t, fakegemini.Config{Signs: true}), oddParts, ofModel(assisted(
			geminiSession(14))), ofModel(assisted(geminiSession(8)))),
		of(converseLane(t, fakeconverse.Config{}), oddConverse, converseSession(14, ""),
			converseSession(14, `{"type":"default"}`), converseSession(8, "")),
		of(ollamaLane(t, fakeollama.Config{}), oddOllama, ollamaSession(14, ""),
			ollamaSession(14, `"tool_name":"read_file",`), convert.Ollama(chat)),
	}
}

// ofModel names the model of the other formats in a request for Code Assist.
func ofModel(body []byte) []byte {
	return bytes.Replace(body, []byte("gemini-3-pro"), []byte(model), 1)
}
