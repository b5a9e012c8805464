//go:build !race

// Left out under the race detector: compiling the SDKs for it takes minutes. internal/e2e expands
// under it.

package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"

	"killick/chat"
	"killick/compaction"
	"killick/internal/fakeserver"
	"killick/proxy/expand"
	"killick/proxy/stored"
)

// A reply of a scripted model, in any format.
type modelReply struct {
	text   string
	calls  []modelCall
	cut    bool // for lack of room
	status int  // an error in its place
	pieces int  // the bytes of each write; 0 for all
}

// modelScript gives replies one after the other, the last again and again.
type modelScript struct {
	replies []modelReply
	n       atomic.Int64
}

func (s *modelScript) at(n int) modelReply { return s.replies[min(n, len(s.replies))-1] }
func (s *modelScript) next() modelReply    { return s.at(int(s.n.Add(1))) }

func (s *modelScript) fault(n int, _ *http.Request) fakeserver.Fault {
	return fakeserver.Fault{PieceBytes: s.at(n).pieces}
}

type modelCall struct{ name, arguments string }

// expandKept is a call of the tool for what the store of the tests keeps.
var expandKept = modelCall{expand.Name, `{"ref":"` + kept + `"}`}

func readCall(path string) modelCall { return modelCall{"read", `{"path":"` + path + `"}`} }

// An agent is a client of one format: an official SDK that sends back what it got.
type agent interface {
	// next sends the conversation and returns the model's turn: its text, and the calls that the
	// client is to answer, by id.
	next(ctx context.Context, stream bool) (text string, calls []agentCall, err error)
	result(id, text string)
	prompt() int // as the last turn's usage states it
}

type agentCall struct{ id, name string }

// expandUpstream is a scripted upstream of one format.
type expandUpstream struct {
	url   string
	agent func(url string) agent
	// requests returns the bodies so far, and refusals what was refused of them.
	requests func() [][]byte
	refusals func() []string
	usages   func() []int // prompts, as they were stated
}

// expandFormats start an upstream for each format that gives these replies one after the other.
var expandFormats = map[string]func(t *testing.T, script *modelScript) expandUpstream{
	"chat": chatExpand,
	"messages": func(t *testing.T, script *modelScript) expandUpstream {
		return messagesExpand(t, script, "claude-opus-5-5", anthropic.ThinkingConfigParamUnion{})
	},
	"messages with thinking by hand": func(t *testing.T, script *modelScript) expandUpstream {
		return messagesExpand(t, script, "claude-sonnet-4-5",
			anthropic.ThinkingConfigParamOfEnabled(1024))
	},
	"messages with adaptive thinking": func(t *testing.T, script *modelScript) expandUpstream {
		return messagesExpand(t, script, "claude-sonnet-4-6", anthropic.ThinkingConfigParamUnion{
			OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{}})
	},
	"responses": responsesExpand,
}

// inEachFormat runs a test in each format, streamed and whole.
func inEachFormat(t *testing.T, replies []modelReply, test func(t *testing.T, x *expandRun)) {
	for name, start := range expandFormats {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %t", name, stream), func(t *testing.T) {
				up := start(t, &modelScript{replies: replies})
				x := &expandRun{t: t, up: up, stream: stream, format: name}
				x.rig = newRigAt(t, up.url, keepsText, withExpand, x.learns)
				x.agent = up.agent(x.rig.url)
				var cancel context.CancelFunc
				x.ctx, cancel = context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				test(t, x)
			})
		}
	}
}

const keptText = "line one of what was left out\nline two: the port is 4711\n"

func withExpand(o *Options) { o.Expand = ExpandTool }

func keepsText(o *Options) {
	o.Originals = fakeStore(func(_, ref string, _ bool) ([]byte, error) {
		if ref == kept {
			return []byte(keptText), nil
		}
		return nil, stored.ErrNoOriginal
	})
}

// expandRun is one conversation through the proxy.
type expandRun struct {
	t       *testing.T
	ctx     context.Context
	rig     *rig
	up      expandUpstream
	agent   agent
	stream  bool
	format  string
	learned atomic.Int64 // the prompt that the Compactor learned of last
}

// learns is a Compactor that changes nothing.
func (x *expandRun) learns(o *Options) {
	o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
		return compaction.Outcome{Body: r.Chat.Raw(), Raw: 100, Sent: 100,
			Learn: func(u chat.Usage) { x.learned.Store(int64(u.PromptTokens)) }}
	}}
}

// turn is agent.next, which must not fail and must not show the tool.
func (x *expandRun) turn() (string, []agentCall) {
	x.t.Helper()
	text, calls, err := x.agent.next(x.ctx, x.stream)
	if err != nil {
		x.t.Fatalf("the client got %v; refused: %q", err, x.up.refusals())
	}
	if slices.ContainsFunc(calls, func(c agentCall) bool { return c.name == expand.Name }) {
		x.t.Fatalf("the client got a call of the tool: %v", calls)
	}
	return text, calls
}

// counted is how often calls came to an outcome.
func (x *expandRun) counted(o expand.Outcome) int {
	return int(x.rig.metric("killick_expansions_total", `outcome="`+string(o)+`"`))
}

// A model expands what was left out, alone and twice in a row, between calls of the client's tools.
// The client sees one turn for each of its requests, sends all of it back, and no upstream refuses
// anything: pairs are whole, thinking is what it was made after, and the tools are the same bytes.
func TestExpandInAConversation(t *testing.T) {
	replies := []modelReply{
		{text: "Reading.", calls: []modelCall{readCall("a.go")}},
		{text: "It was left out.", calls: []modelCall{expandKept}},
		{text: "Reading on.", calls: []modelCall{readCall("b.go")}},
		{calls: []modelCall{expandKept}},
		{calls: []modelCall{expandKept, expandKept}},
		{text: "The port is 4711.", calls: []modelCall{readCall("c.go"), readCall("d.go")}},
		{text: "Done."},
	}
	inEachFormat(t, replies, func(t *testing.T, x *expandRun) {
		for turn, want := range []struct {
			text  string
			calls int
		}{{"Reading.", 1}, {"Reading on.", 1}, {"The port is 4711.", 2}, {"Done.", 0}} {
			text, calls := x.turn()
			if !strings.HasSuffix(text, want.text) || len(calls) != want.calls {
				t.Fatalf("turn %d: %q with %v, want %q", turn, text, calls, want.text)
			}
			if turn == 1 && x.stream != strings.HasPrefix(text, "It was left out.") {
				t.Errorf("a stream %t has the text %q", x.stream, text)
			}
			for _, c := range calls {
				x.agent.result(c.id, "what "+c.name+" gives")
			}
		}
		if refused := x.up.refusals(); len(refused) > 0 {
			t.Errorf("refused: %q", refused)
		}
		sent := x.up.requests()
		if len(sent) != len(replies) {
			t.Fatalf("%d requests, want %d", len(sent), len(replies))
		}
		quoted := strings.TrimSuffix(strings.ReplaceAll(keptText, "\n", `\n`), `\n`)
		for i, want := range []int{0, 0, 1, 0, 1, 3, 0} {
			if got := bytes.Count(sent[i], []byte(quoted)); got != want {
				t.Errorf("request %d has the text %d times, want %d", i+1, got, want)
			}
			if tools, first := toolsOf(sent[i]), toolsOf(sent[0]); tools != first ||
				strings.Count(tools, `"`+expand.Name+`"`) != 1 {
				t.Errorf("request %d has the tools %s, the first %s", i+1, tools, first)
			}
		}
		if got := x.counted(expand.Answered); got != 4 {
			t.Errorf("%d calls counted as answered, want 4", got)
		}
	})
}

// toolsOf is the text of a body's tools.
func toolsOf(body []byte) string {
	at := bytes.Index(body, []byte(`"tools":`))
	end := at
	for depth := 0; end < len(body); end++ {
		switch body[end] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return string(body[at : end+1])
			}
		}
	}
	return ""
}

// A turn with calls of both has those of the client alone, whose results pair, and the model may
// ask again.
func TestExpandBesideCallsOfTheClient(t *testing.T) {
	replies := []modelReply{
		{text: "Both.", calls: []modelCall{readCall("a.go"), expandKept, readCall("b.go")}},
		{calls: []modelCall{expandKept, readCall("c.go")}},
		{calls: []modelCall{expandKept}},
		{text: "Done."},
	}
	inEachFormat(t, replies, func(t *testing.T, x *expandRun) {
		for _, want := range []int{2, 1, 0} {
			_, calls := x.turn()
			if len(calls) != want {
				t.Fatalf("calls %v, want %d", calls, want)
			}
			for _, c := range calls {
				x.agent.result(c.id, "what "+c.name+" gives")
			}
		}
		if refused := x.up.refusals(); len(refused) > 0 || len(x.up.requests()) != 4 {
			t.Errorf("%d requests, refused: %q", len(x.up.requests()), refused)
		}
		if a, l := x.counted(expand.Answered), x.counted(expand.LeftOut); a != 1 || l != 2 {
			t.Errorf("%d answered and %d left out, want 1 and 2", a, l)
		}
	})
}

// What cannot be expanded is said to the model, and the turn continues.
func TestExpandWithoutAText(t *testing.T) {
	replies := []modelReply{
		{calls: []modelCall{{expand.Name, `{"ref":"aaaaaaaaaaaaaaaa"}`}}},
		{calls: []modelCall{{expand.Name, `{"name":"x"}`}, {expand.Name, `{"ref":"` + kept +
			`","from_line":99}`}}},
		{text: "Done."},
	}
	inEachFormat(t, replies, func(t *testing.T, x *expandRun) {
		if text, _ := x.turn(); text != "Done." {
			t.Errorf("text %q", text)
		}
		last := string(x.up.requests()[2])
		for _, want := range []string{"Nothing is kept under this ref.", "needs the argument ref",
			"This text has 2 lines"} {
			if strings.Count(last, want) != 1 {
				t.Errorf("the model is not told %q: %s", want, last)
			}
		}
		if u, b := x.counted(expand.UnknownRef), x.counted(expand.BadArguments); u != 1 || b != 2 {
			t.Errorf("%d unknown and %d bad, want 1 and 2", u, b)
		}
	})
}

// A model that never stops is told to, and then its calls are left out.
func TestExpandIsBounded(t *testing.T) {
	replies := []modelReply{{calls: []modelCall{expandKept}}}
	inEachFormat(t, replies, func(t *testing.T, x *expandRun) {
		if text, calls := x.turn(); text != "" || len(calls) > 0 {
			t.Errorf("text %q, calls %v", text, calls)
		}
		sent := x.up.requests()
		if len(sent) != 10 || !bytes.Contains(sent[9], []byte("No more can be expanded")) ||
			bytes.Contains(sent[8], []byte("No more can be expanded")) {
			t.Errorf("%d requests, the last %s", len(sent), sent[len(sent)-1])
		}
		a, limited, out := x.counted(expand.Answered), x.counted(expand.Limited),
			x.counted(expand.LeftOut)
		if a != 8 || limited != 1 || out != 1 {
			t.Errorf("%d answered, %d limited, %d left out: want 8, 1, 1", a, limited, out)
		}
	})
}

// A turn that ends otherwise is not answered: the stop reason is the model's.
func TestNothingIsExpandedWithoutTheTool(t *testing.T) {
	for _, body := range []string{
		`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`,
		`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[ ]}`,
		`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"n":2,"tools":[{"a":1}]}`,
		`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":` +
			`"function","function":{"name":"mcp__killick__killick_expand"}}]}`,
		`{"model":"gpt-4o","tools":[{"a":1}],"tools":[{"b":1}],"messages":[]}`,
		`not JSON`,
	} {
		up := new(recorder)
		r := newRig(t, up, keepsText, withExpand)
		if got := r.chat(body); got.StatusCode != http.StatusOK ||
			got.Header.Get("Killick-Expand") != "" {
			t.Errorf("%s: status %d, header %q", body, got.StatusCode,
				got.Header.Get("Killick-Expand"))
		}
		if sent := up.last().body; string(sent) != body {
			t.Errorf("%s was sent as %s", body, sent)
		}
	}
}

// In every mode but on, and with mode off asked for, nothing is added.
func TestTheToolIsOfferedWhereItMayBe(t *testing.T) {
	const body = ` {"messages":[{"role":"user","content":"hi"}], "tools":[{"type":"function",` +
		`"function":{"name":"read"}} ] ,"model":"gpt-4o"} `
	up := new(recorder)
	r := newRig(t, up, keepsText, withExpand)
	got := r.chat(body, "Accept-Encoding", "gzip")
	sent := up.last()
	at := strings.Index(body, "]") // of messages
	at += strings.Index(body[at+1:], "]") + 1
	if !bytes.HasPrefix(sent.body, []byte(body[:at]+`,{"type":"function"`)) ||
		!bytes.HasSuffix(sent.body, []byte(`}}`+body[at:])) {
		t.Errorf("sent %s", sent.body)
	}
	if got.Header.Get("Killick-Expand") != "offered" ||
		sent.Header.Get("Accept-Encoding") != "identity" {
		t.Errorf("reply %q, coding asked for %q", got.Header.Get("Killick-Expand"),
			sent.Header.Get("Accept-Encoding"))
	}
	for _, mode := range []string{"observe", "off"} {
		if got := r.chat(body, modeHeader, mode); got.Header.Get("Killick-Expand") != "" ||
			string(up.last().body) != body {
			t.Errorf("mode %s: sent %s", mode, up.last().body)
		}
	}
}

// The reply after an expansion reaches clients of chat completions as it is, for models too whose
// signed thinking is left out of later requests.
func TestTheReplyAfterAnExpansionIsUnchanged(t *testing.T) {
	const last = `{"choices":[{"message":{"role":"assistant","content":"4711"}}]}`
	var n atomic.Int64
	up := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reply := last
		if n.Add(1) == 1 {
			reply = `{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"1",` +
				`"function":{"name":"` + expand.Name + `","arguments":"{\"ref\":\"` + kept +
				`\"}"}}]},"finish_reason":"tool_calls"}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, reply)
	})
	r := newRig(t, up, keepsText, withExpand)
	got := r.chat(`{"model":"claude-opus-5-5","messages":[{"role":"user","content":"hi"}],` +
		`"tools":[{"type":"function","function":{"name":"read"}}]}`)
	if n.Load() != 2 || string(got.body) != last {
		t.Errorf("after %d requests: %s, want %s", n.Load(), got.body, last)
	}
}
