package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/fakeupstream"
)

// longSession is a session that the default settings leave alone for gpt-4o and
// that a small window has no room for.
func longSession(extra string) []byte {
	body := string(sessionBody("anybody", 24))
	return []byte(strings.Replace(body, `{"model":"gpt-4o",`, `{"model":"gpt-4o",`+extra, 1))
}

// refused sends a request to a gateway whose upstream may see it several times.
func (g *gateway) refused(t *testing.T, key string, body []byte, header ...string) (forwarded,
	[]fakeupstream.Recorded) {
	t.Helper()
	g.upstream.Reset()
	f := ask(t, g.url+chatPath, body,
		append([]string{"Authorization", "Bearer " + key}, header...)...)
	return f, g.upstream.Requests()
}

func tokensOf(t testing.TB, body []byte) (n int) {
	t.Helper()
	return requestCounter.For("gpt-4o").Request(mustParse(t, body)).Total
}

// A request that the upstream refuses as too long is sent again in a form that
// fits, whoever the upstream is, and the next turn fits at once.
func TestOverflowIsRecovered(t *testing.T) {
	noLeaks(t)
	const window = 6000
	for name, test := range map[string]struct {
		refusal fakeupstream.Refusal
		extra   string
	}{
		"OpenAI":                   {},
		"OpenAI, streamed":         {extra: `"stream":true,`},
		"Azure, with a completion": {fakeupstream.AzureRefusal, `"max_tokens":1000,`},
		"vLLM, with a completion":  {fakeupstream.VLLMRefusal, `"max_completion_tokens":1500,`},
		"llama.cpp":                {fakeupstream.LlamaRefusal, ``},
		"llama.cpp, within a stream": {fakeupstream.Refusal{InStream: true,
			Body: fakeupstream.LlamaRefusal.Body}, `"stream":true,`},
		"Ollama":                  {fakeupstream.OllamaRefusal, ``},
		"Mistral":                 {fakeupstream.MistralRefusal, ``},
		"Anthropic":               {fakeupstream.AnthropicRefusal, ``},
		"Gemini":                  {fakeupstream.GeminiRefusal, ``},
		"OpenAI, within a stream": {fakeupstream.Refusal{InStream: true}, `"stream":true,`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, fakeupstream.Config{Window: window, Refusal: test.refusal}, nil)
			body := longSession(test.extra)
			f, seen := g.refused(t, "sk-mine", body)
			if f.status != http.StatusOK || !f.did("retry") || len(seen) != 2 {
				t.Fatalf("%d after %d requests, %s: %.300s", f.status, len(seen),
					f.header.Get("Killick-Action"), f.reply)
			}
			if !bytes.Equal(seen[0].Body, body) {
				t.Error("the first attempt is not what the client sent")
			}
			if got := tokensOf(t, seen[1].Body); got > window {
				t.Errorf("%d tokens were sent again, the window is %d", got, window)
			}
			if strings.Contains(test.extra, "stream") &&
				!bytes.Contains(f.reply, []byte("data: [DONE]")) {
				t.Errorf("no whole stream: %.200s", f.reply)
			}
			if bytes.Contains(f.reply, []byte("error")) {
				t.Errorf("the refusal reached the client: %.300s", f.reply)
			}
			if again, seen := g.refused(t, "sk-mine", body); again.status != http.StatusOK ||
				len(seen) != 1 || again.did("retry") {
				t.Errorf("the next time: %d after %d requests, %s", again.status, len(seen),
					again.header.Get("Killick-Action"))
			}
		})
	}
}

// An upstream that does not say what it takes is asked twice more at most.
func TestOverflowWithoutNumbers(t *testing.T) {
	size := tokensOf(t, longSession(""))
	for name, test := range map[string]struct {
		window, attempts, status int
	}{
		"recovered after one": {size * 2 / 3, 2, 200},
		"recovered after two": {size / 4, 3, 200},
		"given up in the end": {600, 3, 400},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t,
				fakeupstream.Config{Window: test.window, Refusal: fakeupstream.GroqRefusal}, nil)
			f, seen := g.refused(t, "sk-mine", longSession(""))
			if f.status != test.status || len(seen) != test.attempts || !f.did("retry") {
				t.Fatalf("%d after %d requests, %s; want %d after %d", f.status, len(seen),
					f.header.Get("Killick-Action"), test.status, test.attempts)
			}
			for i := 1; i < len(seen); i++ {
				if before, now := tokensOf(t, seen[i-1].Body),
					tokensOf(t, seen[i].Body); now >= before {
					t.Errorf("attempt %d has %d tokens, the one before %d", i+1, now, before)
				}
			}
			if want := fakeupstream.GroqRefusal.Body(fakeupstream.TooLong{}); test.status != 200 &&
				string(f.reply) != want {
				t.Errorf("got %s, want the upstream's own error", f.reply)
			}
		})
	}
}

// What cannot be made smaller, or may not be, is not sent again; the error is the upstream's own,
// byte for byte, compressed as received.
func TestOverflowIsPassedOn(t *testing.T) {
	noLeaks(t)
	message := strings.Repeat("A single message that nobody may shorten. ", 900)
	single := fmt.Appendf(nil, `{"model":"gpt-4o","messages":[{"role":"user","content":%q}]}`,
		message)
	long := longSession("")
	for name, test := range map[string]struct {
		body    []byte
		set     func(*config.Config)
		refusal fakeupstream.Refusal
		header  []string
		action  string
	}{
		"nothing to gain": {body: single, action: "none"},
		"mode off": {body: long, header: []string{"Killick-Mode", "off"},
			action: "bypass"},
		"mode observe": {body: long, header: []string{"Killick-Mode", "observe"},
			action: "observe"},
		"the operator's mode": {body: long, set: func(c *config.Config) {
			c.Compaction.Mode = config.ModeObserve
		}, action: "observe"},
		"no room for a prompt": {body: longSession(`"max_tokens":5999,`),
			refusal: fakeupstream.AzureRefusal, action: "none"},
	} {
		for _, compress := range []bool{false, true} {
			t.Run(fmt.Sprint(name, compress), func(t *testing.T) {
				g := newGateway(t,
					fakeupstream.Config{Window: 6000, Compress: compress, Refusal: test.refusal},
					test.set)
				direct := ask(t, g.upstream.URL()+"/chat/completions", test.body,
					"Accept-Encoding", "gzip")
				f, seen := g.refused(t, "sk-mine", test.body,
					append(test.header, "Accept-Encoding", "gzip")...)
				if f.status != http.StatusBadRequest || len(seen) != 1 ||
					f.header.Get("Killick-Action") != test.action {
					t.Fatalf("%d after %d requests, %s", f.status, len(seen),
						f.header.Get("Killick-Action"))
				}
				if !bytes.Equal(f.reply, direct.reply) ||
					f.header.Get("Content-Encoding") != direct.header.Get("Content-Encoding") {
					t.Errorf("got %q (%s), the upstream says %q", f.reply,
						f.header.Get("Content-Encoding"), direct.reply)
				}
			})
		}
	}
}

// Refusals are read compressed, and compressed requests are sent again plain.
func TestOverflowCompressed(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(longSession(`"stream":true,`))
	_ = z.Close()
	for _, inStream := range []bool{false, true} {
		g := newGateway(t,
			fakeupstream.Config{Window: 6000, Compress: true,
				Refusal: fakeupstream.Refusal{InStream: inStream}}, nil)
		f, seen := g.refused(t, "sk-mine", packed.Bytes(), "Content-Encoding", "gzip",
			"Accept-Encoding", "gzip")
		if f.status != http.StatusOK || len(seen) != 2 || !f.did("retry") {
			t.Fatalf("in a stream %t: %d after %d requests, %s", inStream, f.status, len(seen),
				f.header.Get("Killick-Action"))
		}
		if !bytes.Equal(seen[0].Body, packed.Bytes()) ||
			seen[1].Header.Get("Content-Encoding") != "" {
			t.Error("the first attempt was changed, or the second is not plain")
		}
		r, err := gzip.NewReader(bytes.NewReader(f.reply))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || !bytes.Contains(text, []byte("data: [DONE]")) {
			t.Errorf("the reply is not whole: %v, %.200s", err, text)
		}
	}
}

// A client that leaves while the second attempt is under way cancels it.
func TestOverflowClientLeaves(t *testing.T) {
	noLeaks(t)
	second, gone := make(chan struct{}), make(chan struct{})
	var once sync.Once
	g := newGateway(t,
		fakeupstream.Config{Window: 6000, Fault: func(n int, r *http.Request) fakeupstream.Fault {
			if n != 2 {
				return fakeupstream.Fault{}
			}
			once.Do(func() {
				close(second)
				go func() {
					<-r.Context().Done()
					close(gone)
				}()
			})
			return fakeupstream.Fault{Hang: time.Minute}
		}}, nil)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-second
		leave()
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+chatPath,
		bytes.NewReader(longSession("")))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Fatalf("answered with %d", res.StatusCode)
	}
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Error("the second attempt goes on")
	}
}

// A huge output that has just arrived is in no older turn: it is truncated when
// the upstream refuses it, and stays so.
func TestOverflowByOneOutput(t *testing.T) {
	var lines strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&lines, "%d\ta line of a long log that the model was to read\n", i)
	}
	body := fmt.Appendf(nil,
		`{"model":"gpt-4o","messages":[{"role":"user","content":"Read the log."},`+
			`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",`+
			`"function":{"name":"read_file","arguments":"{\"path\":\"a.log\"}"}}]},`+
			`{"role":"tool","tool_call_id":"call_1","content":%q}]}`, lines.String())
	g := newGateway(t, fakeupstream.Config{Window: 8000}, nil)
	f, seen := g.refused(t, "sk-mine", body)
	if f.status != http.StatusOK || len(seen) != 2 || !f.did("mask") {
		t.Fatalf("%d after %d requests, %s", f.status, len(seen), f.header.Get("Killick-Action"))
	}
	for ref, want := range hiddenOutputs(t, body, seen[1].Body, "[Truncated on arrival") {
		if status, got := output(t, g, "sk-mine", ref); status != http.StatusOK || got != want {
			t.Errorf("%s: %d %.80q", ref, status, got)
		}
	}
	again, next := g.refused(t, "sk-mine", body)
	if again.status != http.StatusOK || len(next) != 1 || !bytes.Equal(next[0].Body, seen[1].Body) {
		t.Errorf("the next time: %d after %d requests", again.status, len(next))
	}
}

// What one credential's upstream refuses says nothing of another's, nor one
// model of another.
func TestLearnedWindowsAreApart(t *testing.T) {
	small := true
	g := newGateway(t, fakeupstream.Config{Windows: func(model string) int {
		if small && model == "gpt-4o" {
			return 6000
		}
		return 0
	}}, nil)
	body := longSession("")
	if f, seen := g.refused(t, "sk-mine", body); f.status != http.StatusOK || len(seen) != 2 {
		t.Fatalf("%d after %d requests", f.status, len(seen))
	}
	small = false
	for name, test := range map[string]struct {
		key     string
		body    []byte
		changed bool
	}{
		"the same": {"sk-mine", body, true},
		"another model": {"sk-mine",
			bytes.Replace(body, []byte(`"gpt-4o"`), []byte(`"gpt-4.1"`), 1), false},
		"another credential": {"sk-other", body, false},
	} {
		_, seen := g.refused(t, test.key, test.body)
		if len(seen) != 1 || bytes.Equal(seen[0].Body, test.body) == test.changed {
			t.Errorf("%s: %d requests, want changed %t", name, len(seen), test.changed)
		}
	}
}
