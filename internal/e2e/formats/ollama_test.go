package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/config"
	"killick/internal/fakeollama"
	"killick/view"
)

const ollamaPath = "/api/chat"

// ollamaSession is a session of n turns with pairs of calls of the same name, which have no ids.
// of is what a result says of its call.
func ollamaSession(n int, of string) []byte {
	b := []byte(`{"model":"qwen3:8b","messages":[{"role":"system","content":"You."},` +
		`{"role":"user","content":"Mend all files. Never touch go.mod."}`)
	for i := range n {
		var calls, results []string
		for _, path := range []string{"a", "b"} {
			calls = append(calls, fmt.Sprintf(`{"function":{"name":"read_file","arguments":`+
				`{"path":"src/%s%d.go"}}}`, path, i))
			results = append(results, fmt.Sprintf(`{"role":"tool",%s"content":"%s"}`, of,
				strings.Repeat(fmt.Sprintf(`func %s%d() error { return nil }\n`, path, i), 40)))
		}
		b = fmt.Appendf(b, `,{"role":"assistant","thinking":"Next %d.","content":"",`+
			`"tool_calls":[%s]},%s`, i, strings.Join(calls, ","), strings.Join(results, ", "))
	}
	return append(b, `],"tools":[{"type":"function","function":{"name":"read_file"}}]}`...)
}

// sized returns a request with a window of its own.
func sized(body []byte, window int) []byte {
	return fmt.Appendf(body[:len(body)-1:len(body)-1], `,"options":{"num_ctx":%d}}`, window)
}

// startOllama starts a proxy before a scripted upstream.
func startOllama(
	t *testing.T, script fakeollama.Config, set func(*config.Config),
) (*fakeollama.Server, *replica) {
	t.Helper()
	script.Record = true
	return before(t, fakeollama.New(script), set)
}

// A session with calls without ids grows past the trigger: each result is that of its call.
func TestOllamaSessionIsCompacted(t *testing.T) {
	for _, of := range []string{"", `"tool_name":"read_file",`} {
		up, r := startOllama(t, fakeollama.Config{}, payingBetween(6000, 3000))
		session := func(n int) []byte { return ollamaSession(n, of) }
		checkCompacted(t, up.Server, r, chat.Ollama, ollamaPath, nil, session,
			func(n int, req *view.Request) {
				var paths []string // of the calls without a result yet
				for _, m := range req.Messages() {
					for _, c := range m.ToolCalls() {
						paths = append(paths, c.Arguments.Get("path").Text())
					}
					if !m.Role().Result() {
						continue
					}
					name := strings.TrimSuffix(strings.TrimPrefix(paths[0], "src/"), ".go")
					if paths = paths[1:]; !strings.Contains(m.Text(), name) {
						t.Fatalf("%d turns: the result %.60q follows the call for %s", n, m.Text(),
							name)
					}
				}
				if len(paths) > 0 {
					t.Fatalf("%d turns: no results for %s", n, paths)
				}
			})
	}
}

// The window is that of each request, else the one that is configured: nothing of what is
// forwarded is dropped by the upstream, which says nothing of what it drops.
func TestOllamaWindows(t *testing.T) {
	const window = 6000
	plain := func(body []byte) []byte { return body }
	own := func(body []byte) []byte { return sized(body, window) }
	larger := func(body []byte) []byte { return sized(body, 8*window) }
	for name, c := range map[string]struct {
		of      func([]byte) []byte
		window  int // of the upstream
		known   int // to the proxy
		dropped bool
	}{
		"set by the request":          {own, 0, 0, false},
		"set, but otherwise assumed":  {own, 0, 8 * window, false},
		"configured":                  {plain, window, window, false},
		"larger than is configured":   {larger, window, window, false},
		"neither: the upstream drops": {plain, window, 0, true},
	} {
		up, r := startOllama(t, fakeollama.Config{Window: c.window}, func(conf *config.Config) {
			conf.Compaction.SetProfile("guard")
			if c.known > 0 {
				conf.Models = map[string]config.ModelSpec{"*": {Window: c.known}}
			}
		})
		dropped, changed := 0, 0
		for n := 1; n <= 24; n++ {
			body := c.of(ollamaSession(n, ""))
			if action, _ := ask(t, up.Server, r, ollamaPath, body, nil); action != "none" {
				changed++
			}
			dropped += up.Requests()[0].Note.(fakeollama.Found).Dropped
		}
		if c.dropped != (dropped > 0) {
			t.Errorf("%s: %d messages were dropped by the upstream", name, dropped)
		}
		if large := name == "larger than is configured" || c.dropped; large == (changed > 0) {
			t.Errorf("%s: %d requests were changed", name, changed)
		}
	}
}

// Usage is read from a stream and from a whole answer, and both arrive as they were sent.
func TestOllamaAnswersAreRead(t *testing.T) {
	up, r := startOllama(t, fakeollama.Config{Reply: func(*fakeollama.Request) fakeollama.Message {
		return fakeollama.Message{Content: "I read.", Thinking: "hm",
			ToolCalls: []fakeollama.Call{{Function: fakeollama.Function{Name: "read_file",
				Arguments: json.RawMessage(`{"eval_count":1}`)}}}}
	}}, func(c *config.Config) {
		c.Models = map[string]config.ModelSpec{"qwen3:off": {Mode: "off"}}
	})
	body, want := ollamaSession(2, ""), 0
	for _, in := range [][]byte{
		body, bytes.Replace(body, []byte(`{"model"`), []byte(`{"stream":false,"model"`), 1),
		bytes.Replace(body, []byte(`{"model"`), []byte(`{"stream":true,"model"`), 1),
	} {
		up.Reset()
		got := r.Ask(t, "POST", ollamaPath, in)
		found := up.Requests()[0].Note.(fakeollama.Found)
		straight, err := http.Post(up.URL()+ollamaPath, "application/json", bytes.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		defer straight.Body.Close()
		var reply bytes.Buffer
		if _, err := reply.ReadFrom(straight.Body); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Body, reply.Bytes()) ||
			got.Header.Get("Content-Type") != straight.Header.Get("Content-Type") {
			t.Errorf("the client got\n%s\nwant\n%s", got.Body, &reply)
		}
		want += found.Tokens + 7
		wantTokens(t, r, want)
	}
	off := bytes.Replace(body, []byte("qwen3:8b"), []byte("qwen3:off"), 1)
	if action, _ := ask(t, up.Server, r, ollamaPath, off, nil); action != "bypass" {
		t.Errorf("a model with its own mode: %s, want bypass", action)
	}
}

// A request that the upstream refuses as too long is sent again in a smaller form. What its window
// teaches is not about requests with another one.
func TestOllamaOverflow(t *testing.T) {
	up, r := startOllama(t, fakeollama.Config{}, nil)
	body := ollamaSession(24, "")
	strict := bytes.Replace(sized(body, 9000), []byte(`{"model"`),
		[]byte(`{"truncate":false,"model"`), 1)
	action, sent := ask(t, up.Server, r, ollamaPath, strict, nil)
	if len(sent) >= len(strict) {
		t.Errorf("%s: %d of %d bytes were sent", action, len(sent), len(strict))
	}
	up, r = startOllama(t, fakeollama.Config{Window: 9000}, nil)
	strict = bytes.Replace(body, []byte(`{"model"`), []byte(`{"truncate":false,"model"`), 1)
	action, sent = ask(t, up.Server, r, ollamaPath, strict, nil)
	if !strings.Contains(action, "retry") || len(sent) >= len(strict) {
		t.Errorf("%s: %d of %d bytes were sent", action, len(sent), len(strict))
	}
}

// Errors have Ollama's shape, and those in a stream arrive as they are.
func TestOllamaErrors(t *testing.T) {
	up, r := startOllama(t, fakeollama.Config{Breaks: true}, nil)
	a := r.Ask(t, "POST", ollamaPath, ollamaSession(1, ""))
	if lines := bytes.Split(bytes.TrimSpace(a.Body), []byte("\n")); a.Status != 200 ||
		!bytes.HasPrefix(lines[len(lines)-1], []byte(`{"error":"an error was`)) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	up.Close()
	for _, path := range []string{ollamaPath, "/api/tags", "/api/generate"} {
		a := r.Ask(t, "POST", path, ollamaSession(1, ""))
		var body struct{ Error string }
		if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != 502 ||
			body.Error == "" {
			t.Errorf("%s: %d %s (%v)", path, a.Status, a.Body, err)
		}
	}
}

// What a feature does not support of this format is left out: requests are compacted without it.
func TestOllamaWithoutOtherFormatsFeatures(t *testing.T) {
	up, r := startOllama(t, fakeollama.Config{}, func(c *config.Config) {
		between(6000, 3000)(c)
		paying(c)
		c.Compaction.Expand = config.ExpandTool
		c.Compaction.Summarizer = "model"
		c.CacheKeepAlive.Enabled = true
	})
	for n := 20; n <= 24; n++ {
		body := ollamaSession(n, "")
		_, sent := ask(t, up.Server, r, ollamaPath, body, nil)
		if bytes.Contains(sent, []byte(`"name":"killick_expand"`)) {
			t.Fatal("a tool was added that nobody answers")
		}
		if len(sent) > len(body)/2 {
			t.Errorf("%d turns: %d bytes were sent", n, len(sent))
		}
	}
	for _, name := range []string{"fail_opens_total", "model_calls_total", "keepalive_held_bytes"} {
		if n := r.total(t, name); n != 0 {
			t.Errorf("%s is %v", name, n)
		}
	}
}
