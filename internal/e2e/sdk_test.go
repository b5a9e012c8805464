package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"killick/internal/fakeupstream"
	"killick/tokenizer"
	"killick/view"
)

// What the tests of both SDKs share: a scripted model, and a client of net/http
// that remembers what an SDK sends.

// sdkKey is the one credential that the scripted model accepts.
const sdkKey = "sk-sdk-1f0c2e77"

// faultHeader names the fault that a request asks the scripted upstream for.
const faultHeader = "X-Fault"

// sdkScript answers a request with tools by two calls at once, the results of
// calls by a text, and everything else by a sentence of several deltas.
func sdkScript(compress bool) fakeupstream.Config {
	return fakeupstream.Config{
		Keys:     []string{sdkKey},
		Compress: compress,
		Fault:    sdkFault,
		Reply: func(req *view.Request) fakeupstream.Reply {
			msgs := req.Messages()
			switch {
			case msgs[len(msgs)-1].Role() == view.Tool:
				return fakeupstream.Reply{Content: "Oslo has 4°C, Lima 22°C: pack for both."}
			case len(req.Field("tools")) > 0:
				return fakeupstream.Reply{ToolCalls: []fakeupstream.ToolCall{
					{Name: "weather", Arguments: `{"city": "Oslo"}`},
					{Name: "weather", Arguments: `{"city": "Lima"}`},
				}}
			}
			return fakeupstream.Reply{Content: "A killick is a small anchor, often a stone in a " +
				"wooden frame — “enough to hold a boat”."}
		},
	}
}

func sdkFault(_ int, r *http.Request) fakeupstream.Fault {
	switch asked, value, _ := strings.Cut(r.Header.Get(faultHeader), "="); asked {
	case "status":
		status, _ := strconv.Atoi(value)
		return fakeupstream.Fault{Status: status, Header: http.Header{"Retry-After": {"7"}}}
	case "cut":
		return fakeupstream.Fault{CutEvents: 3}
	case "pause": // too long to wait for what comes after the first event
		return fakeupstream.Fault{Pause: 15 * time.Second}
	}
	return fakeupstream.Fault{}
}

// sdkClient returns what an SDK sends its requests by. It adds header to each,
// keeps their bodies, and lets go of its connections at the end of the test.
func sdkClient(t testing.TB, header http.Header) (*http.Client, *sentBodies) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	sent := &sentBodies{next: transport, header: header}
	return &http.Client{Transport: sent}, sent
}

type sentBodies struct {
	next   http.RoundTripper
	header http.Header

	mu  sync.Mutex
	all [][]byte
}

func (s *sentBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range s.header {
		r.Header[name] = values
	}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		_ = r.Body.Close()
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		s.all = append(s.all, body)
		s.mu.Unlock()
	}
	return s.next.RoundTrip(r)
}

// noLeaks fails a test that leaves goroutines behind. The test calls it first,
// and is not parallel itself; its subtests may be.
func noLeaks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		<-tokenizer.Warm("gpt-4o") // in the background, once in a process
		goleak.VerifyNone(t, before)
	})
}

// sides are where an SDK may be pointed at: it must not be able to tell them
// apart.
func (g *gateway) sides() map[string]string {
	return map[string]string{"through the proxy": g.url + "/v1", "straight": g.upstream.URL()}
}

// sameOnBothSides runs ask on both sides and compares what the SDK made of it.
func sameOnBothSides[T any](t *testing.T, g *gateway, ask func(t *testing.T, baseURL string) T) {
	t.Helper()
	got := map[string]T{}
	for side, url := range g.sides() {
		got[side] = ask(t, url)
	}
	if a, b := got["through the proxy"], got["straight"]; !reflect.DeepEqual(a, b) {
		t.Errorf("through the proxy the SDK sees\n%+v, straight\n%+v", a, b)
	}
}

// lastRequest returns the latest request that the upstream has seen the end of.
func (g *gateway) lastRequest(t *testing.T) fakeupstream.Recorded {
	t.Helper()
	var last fakeupstream.Recorded
	waitFor(t, func() bool {
		all := g.upstream.Requests()
		if len(all) == 0 {
			return false
		}
		last = all[len(all)-1]
		return last.Done || last.Broken
	})
	return last
}

// leftWithin is how soon the upstream must see that a client has left; it is a
// matter of milliseconds on a machine with nothing else to do.
const leftWithin = 5 * time.Second

// agentTurns is how long an agent of these tests works: so many files are read,
// one a turn, before it answers.
const agentTurns = 16

// agentBudget lets that session outgrow the trigger several times.
var agentBudget = between(4000, 2000)

// agentScript makes the model read one file after another. It does not look at
// how long the conversation is: compacted, it is shorter.
func agentScript() fakeupstream.Config {
	var turn atomic.Int64
	return fakeupstream.Config{Reply: func(*view.Request) fakeupstream.Reply {
		n := turn.Add(1)
		if n > agentTurns {
			return fakeupstream.Reply{Content: "All files are read: the limit is parsed in " +
				"src/limit_07.go."}
		}
		return fakeupstream.Reply{ToolCalls: []fakeupstream.ToolCall{
			{Name: "read_file", Arguments: fmt.Sprintf(`{"path":"src/limit_%02d.go"}`, n)},
		}}
	}}
}

// agentFile is what the agent's tool reads.
func agentFile(call string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// read by %s\npackage limit\n", call)
	for line := range 32 {
		fmt.Fprintf(&b,
			"\nfunc parse%d(s string) (int, error) { return strconv.Atoi(s[%d:]) } // see "+
				"limit_test.go:%d", line, line%7, line*3)
	}
	return b.String()
}

// checkAgent holds what the upstream got of an agent's session against what the
// SDK sent, and what the SDK received of it. Both went through g alone.
func checkAgent(t *testing.T, g *gateway, sent [][]byte, actions []string) {
	t.Helper()
	seen := g.upstream.Requests()
	if len(seen) != len(sent) || len(sent) != len(actions) || len(sent) != agentTurns+1 {
		t.Fatalf("%d requests sent, %d arrived, %d answered, want %d", len(sent), len(seen),
			len(actions), agentTurns+1)
	}
	for i := range sent {
		for _, breach := range breaches(sent[i], seen[i].Body) {
			t.Errorf("turn %d: %s", i+1, breach)
		}
		if changed := !bytes.Equal(sent[i], seen[i].Body); changed != (actions[i] != "none") {
			t.Errorf("turn %d: changed %t, but Killick-Action says %q", i+1, changed, actions[i])
		}
	}
	all := strings.Join(actions, "; ")
	for _, want := range []string{"none", "mask", "reuse"} {
		if !strings.Contains(all, want) {
			t.Errorf("no turn says %q: %s", want, all)
		}
	}
}
