package formats

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/fakegemini"
)

const assistPath = "/v1internal:generateContent"

// What Code Assist has around a request, in an order that no decoder would keep.
const (
	assistHead = `{ "user_prompt_id":"a-1e2", "request" : `
	assistTail = ` ,"project":"sh\u006fp","model":"gemini-3-pro" }`
)

// assisted is a request as the body of one for Code Assist.
func assisted(request []byte) []byte {
	return fmt.Appendf(nil, assistHead+"%s"+assistTail, request)
}

// A session grows past the trigger: what is around the request stays as it is, and within it is
// what the request would become as one of generateContent.
func TestCodeAssistIsCompacted(t *testing.T) {
	up := fakegemini.New(fakegemini.Config{Signs: true, Record: true})
	t.Cleanup(up.Close)
	d := newDeployment(t, up.URL(), payingBetween(6000, 3000))
	r, plain := d.start(t), d.start(t) // with one secret, and so the same refs
	changed := 0
	for n := 1; n <= 24; n++ {
		body := assisted(geminiSession(n))
		action, sent := ask(t, up.Server, r, assistPath, body, geminiKey)
		wantAction, want := ask(t, up.Server, plain, geminiPath, geminiSession(n), geminiKey)
		if action != wantAction {
			t.Errorf("%d turns: %s, as generateContent %s", n, action, wantAction)
		}
		if action == "none" {
			if !bytes.Equal(sent, body) {
				t.Fatalf("%d turns: under the trigger, but not sent as received", n)
			}
			continue
		}
		changed++
		request, ok := strings.CutPrefix(string(sent), assistHead)
		request, tail := strings.CutSuffix(request, assistTail)
		if !ok || !tail {
			t.Fatalf("%d turns: something around the request was changed: %.200s", n, sent)
		}
		if request != string(want) {
			t.Errorf("%d turns: another request than as generateContent:\n%s\n%s", n, request, want)
		}
	}
	if changed < 10 {
		t.Errorf("%d of 24 requests were compacted, want 10 at least", changed)
	}
	for _, name := range []string{"fail_opens_total", "passed_through_total"} {
		if n := r.total(t, name); n != 0 {
			t.Errorf("%s is %v", name, n)
		}
	}
}

// Usage is read from every form of answer, and the model from the body.
func TestCodeAssistAnswersAreRead(t *testing.T) {
	up, r := startGemini(t, fakegemini.Config{Reply: func(*fakegemini.Request) []fakegemini.Part {
		a, b := "Un", "derstood."
		return []fakegemini.Part{{Text: &a}, {Text: &b}}
	}}, func(c *config.Config) {
		c.Models = map[string]config.ModelSpec{"gemini-off": {Mode: "off"}}
	})
	body := assisted(geminiSession(2))
	streamed := strings.Replace(assistPath, ":g", ":streamG", 1)
	for i, path := range []string{assistPath, streamed, streamed + "?alt=sse"} {
		if action, sent := ask(t, up.Server, r, path, body, geminiKey); action != "none" ||
			!bytes.Equal(sent, body) {
			t.Fatalf("%s: %s, or other bytes", path, action)
		}
		wantTokens(t, r, (i+1)*(len(body)/4+7))
	}
	off := bytes.Replace(body, []byte("gemini-3-pro"), []byte("gemini-off"), 1)
	if action, _ := ask(t, up.Server, r, assistPath, off, geminiKey); action != "bypass" {
		t.Errorf("a model with its own mode: %s, want bypass", action)
	}
}

// A request that the API refuses as too long is sent again in a smaller form.
func TestCodeAssistOverflow(t *testing.T) {
	up, r := startGemini(t, fakegemini.Config{Window: 9000}, nil)
	body := assisted(geminiSession(24))
	for _, path := range []string{assistPath, "/v1internal:streamGenerateContent?alt=sse"} {
		action, sent := ask(t, up.Server, r, path, body, geminiKey)
		if len(sent) >= len(body) {
			t.Errorf("%s: %d of %d bytes were sent", action, len(sent), len(body))
		}
	}
	if n := r.total(t, "overflows_total"); n == 0 {
		t.Error("nothing was sent again")
	}
}

// What is stored of a conversation is found by its request, and deleted.
func TestCodeAssistIsErased(t *testing.T) {
	up, r := startGemini(t, fakegemini.Config{}, between(6000, 3000))
	body := assisted(geminiSession(24))
	if action, _ := ask(t, up.Server, r, assistPath, body, geminiKey); action == "none" {
		t.Fatal("nothing was compacted")
	}
	a := r.Ask(t, "DELETE", "/killick/conversations", body, geminiKey...)
	if a.Status != 200 || bytes.Contains(a.Body, []byte(`"records":0`)) {
		t.Errorf("%d %s, want some records to be deleted", a.Status, a.Body)
	}
}
