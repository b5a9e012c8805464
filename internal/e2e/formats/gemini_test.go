package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"killick/gemini"
	"killick/internal/config"
	"killick/internal/fakegemini"
	"killick/view"
)

const geminiPath = "/v1beta/models/gemini-3-pro:generateContent"

var geminiKey = []string{"X-Goog-Api-Key", "key"}

// geminiSession is a session of n turns with calls of the same name in pairs, which have no ids.
// Each call is signed.
func geminiSession(n int) []byte {
	b := []byte(
		`{"contents":[{"role":"user","parts":[{"text":"Mend all files. Never touch go.mod."}]}`,
	)
	for i := range n {
		b = fmt.Appendf(b, `,{"role":"model","parts":[`)
		for k, path := range []string{"a", "b"} {
			args := fmt.Sprintf(`{"path":"src/%s%d.go"}`, path, i)
			if k > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, `{"functionCall":{"name":"read_file","args":%s}`, args)
			if k == 0 {
				b = fmt.Appendf(b, `,"thoughtSignature":"c2ln%x"`, "read_file"+args)
			}
			b = append(b, '}')
		}
		b = append(b, `]},{"role":"user","parts":[`...)
		for k, path := range []string{"a", "b"} {
			if k > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(
				b,
				`{"functionResponse":{"name":"read_file","response":{"output":"%s"}}}`,
				strings.Repeat(fmt.Sprintf(`func %s%d() error { return nil }\n`, path, i), 40),
			)
		}
		b = append(b, `]}`...)
	}
	return append(b, `],"tools":[{"functionDeclarations":[{"name":"read_file"}]}]}`...)
}

// startGemini starts a proxy before a scripted upstream.
func startGemini(
	t *testing.T, script fakegemini.Config, set func(*config.Config),
) (*fakegemini.Server, *replica) {
	t.Helper()
	script.Record = true
	return before(t, fakegemini.New(script), set)
}

// A session with signed calls without ids grows past the trigger: an upstream that checks
// signatures and counts results takes each request, and each result is that of its call.
func TestGeminiSessionIsCompacted(t *testing.T) {
	up, r := startGemini(t, fakegemini.Config{Signs: true}, payingBetween(6000, 3000))
	checkCompacted(t, up.Server, r, gemini.Format, geminiPath, geminiKey, geminiSession,
		func(n int, req *view.Request) {
			path := ""
			for _, m := range req.Messages() {
				for _, c := range m.ToolCalls() {
					path = c.Arguments.Get("path").Text() // that of the second call is last
				}
				if text := m.Text(); m.Role().Result() && m.ToolCallID() == "read_file#1" &&
					strings.HasPrefix(text, "func b") {
					var i int
					if _, err := fmt.Sscanf(path, "src/b%d.go", &i); err != nil ||
						!strings.HasPrefix(text, fmt.Sprintf("func b%d(", i)) {
						t.Fatalf("%d turns: the result %.30q follows the call of %s", n, text, path)
					}
				}
			}
		})
}

// Usage is read from every form of answer, and the model from the path.
func TestGeminiAnswersAreRead(t *testing.T) {
	up, r := startGemini(t, fakegemini.Config{Reply: func(*fakegemini.Request) []fakegemini.Part {
		a, b := "Un", "derstood."
		return []fakegemini.Part{{Text: &a}, {Text: &b}}
	}}, func(c *config.Config) {
		c.Models = map[string]config.ModelSpec{"gemini-off": {Mode: "off"}}
	})
	body := geminiSession(2)
	for i, path := range []string{
		geminiPath,
		strings.Replace(geminiPath, ":g", ":streamG", 1),
		strings.Replace(geminiPath, ":g", ":streamG", 1) + "?alt=sse",
		strings.Replace(geminiPath, ":", "%3A", 1),
	} {
		if action, sent := ask(t, up.Server, r, path, body, geminiKey); action != "none" ||
			!bytes.Equal(sent, body) {
			t.Fatalf("%s: %s, or other bytes", path, action)
		}
		wantTokens(t, r, (i+1)*(len(body)/4+7))
	}
	if action, _ := ask(t, up.Server, r, "/v1beta/models/gemini-off:generateContent",
		body, geminiKey); action != "bypass" {
		t.Errorf("a model with its own mode: %s, want bypass", action)
	}
}

// The operator's key goes where the API expects it, and the client's goes nowhere.
func TestGeminiKeys(t *testing.T) {
	up, r := startGemini(t, fakegemini.Config{}, func(c *config.Config) {
		c.Upstream.APIKey = "operators-key"
	})
	for _, header := range [][]string{geminiKey, {"X-Other", "x"}} {
		up.Reset()
		path := geminiPath + "?alt=sse&key=clients-key"
		if a := r.Ask(t, "POST", path, geminiSession(1), header...); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		got := up.Requests()[0]
		if got.Header.Get("X-Goog-Api-Key") != "operators-key" || got.Query != "alt=sse" {
			t.Errorf("key %q, query %q, want the operator's key alone",
				got.Header.Get("X-Goog-Api-Key"), got.Query)
		}
	}
}

// Errors have the shape that Google's clients read.
func TestGeminiErrors(t *testing.T) {
	up, r := startGemini(t, fakegemini.Config{}, nil)
	up.Close()
	a := r.Ask(t, "POST", geminiPath, geminiSession(1), geminiKey...)
	var body struct {
		Error struct {
			Code            int
			Message, Status string
		}
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != 502 ||
		body.Error.Code != 502 || body.Error.Status != "INTERNAL" || body.Error.Message == "" {
		t.Errorf("%d %s (%v)", a.Status, a.Body, err)
	}
}

// A request that the API refuses as too long is sent again in a smaller form.
func TestGeminiOverflow(t *testing.T) {
	up, r := startGemini(t, fakegemini.Config{Window: 9000}, nil)
	body := geminiSession(24)
	action, sent := ask(t, up.Server, r, geminiPath, body, geminiKey)
	if !strings.Contains(action, "retry") || len(sent) >= len(body) {
		t.Errorf("%s: %d of %d bytes were sent", action, len(sent), len(body))
	}
}

// What a feature does not support of this format is left out: requests are compacted without it.
func TestGeminiWithoutOtherFormatsFeatures(t *testing.T) {
	for path, of := range map[string]func([]byte) []byte{
		geminiPath: bytes.Clone, assistPath: assisted,
	} {
		up, r := startGemini(t, fakegemini.Config{}, func(c *config.Config) {
			between(6000, 3000)(c)
			paying(c)
			c.Compaction.Expand = config.ExpandTool
			c.Compaction.Summarizer = "model"
			c.CacheKeepAlive.Enabled = true
		})
		for n := 20; n <= 24; n++ {
			body := of(geminiSession(n))
			_, sent := ask(t, up.Server, r, path, body, geminiKey)
			if bytes.Contains(sent, []byte(`"name":"killick_expand"`)) {
				t.Fatal("a tool was added that nobody answers")
			}
			if len(sent) > len(body)/2 {
				t.Errorf("%s, %d turns: %d bytes were sent", path, n, len(sent))
			}
		}
		for _, name := range []string{"fail_opens_total", "model_calls_total",
			"keepalive_held_bytes"} {
			if n := r.total(t, name); n != 0 {
				t.Errorf("%s: %s is %v", path, name, n)
			}
		}
	}
}
