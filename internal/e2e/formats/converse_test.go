package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"killick/converse"
	"killick/internal/config"
	"killick/internal/fakeconverse"
	"killick/view"
)

const conversePath = "/model/us.amazon.nova-pro-v1:0/converse"

var bearer = []string{"Authorization", "Bearer key"}

// converseSession is a session of n turns with two calls each. If point is not empty, the last
// message and the one of the user before it end in that cache point.
func converseSession(n int, point string) []byte {
	point = strings.TrimSpace(point)
	if point != "" {
		point = `,{"cachePoint":` + point + `}`
	}
	b := []byte(`{"messages":[{"role":"user","content":[{"text":"Mend all files. Never touch ` +
		`go.mod."}]}`)
	for i := range n {
		b = append(b, `,{"role":"assistant","content":[{"text":"Next."}`...)
		for _, path := range []string{"a", "b"} {
			b = fmt.Appendf(b, `,{"toolUse":{"toolUseId":"t%s%d","name":"read_file","input":`+
				`{"path":"src/%s%d.go"}}}`, path, i, path, i)
		}
		b = append(b, `]},{"role":"user","content":[`...)
		for k, path := range []string{"a", "b"} {
			if k > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, `{"toolResult":{"toolUseId":"t%s%d","content":[{"text":"%s"}]}}`,
				path, i,
				strings.Repeat(fmt.Sprintf(`func %s%d() error { return nil }\n`, path, i), 40))
		}
		if i >= n-2 {
			b = append(b, point...)
		}
		b = append(b, `]}`...)
	}
	return append(b, `],"toolConfig":{"tools":[{"toolSpec":{"name":"read_file","inputSchema":`+
		`{"json":{"type":"object"}}}}]}}`...)
}

// startConverse starts a proxy before a scripted upstream.
func startConverse(
	t *testing.T, script fakeconverse.Config, set func(*config.Config),
) (*fakeconverse.Server, *replica) {
	t.Helper()
	script.Record = true
	return before(t, fakeconverse.New(script), set)
}

// A session grows past the trigger: an upstream that wants turns to alternate, and results apart
// from other blocks, takes each request.
func TestConverseSessionIsCompacted(t *testing.T) {
	up, r := startConverse(t, fakeconverse.Config{Separate: true}, payingBetween(6000, 3000))
	session := func(n int) []byte { return converseSession(n, "") }
	checkCompacted(t, up.Server, r, converse.Format, conversePath, bearer, session,
		func(n int, req *view.Request) {
			last := req.Messages()[len(req.Messages())-1]
			if want := fmt.Sprintf("func b%d(", n-1); !strings.HasPrefix(last.Text(), want) {
				t.Fatalf("%d turns: the last result is %.30q, want %q", n, last.Text(), want)
			}
		})
}

// The client's cache points stay on what is sent as received. What is folded gives its point to the
// record, so that it is read from the cache while the rest goes on.
func TestConverseCachePoints(t *testing.T) {
	for _, point := range []string{`{"type":"default"}`, `{"type":"default","ttl":"1h"}`} {
		up, r := startConverse(t, fakeconverse.Config{}, payingBetween(6000, 3000))
		read, byPrefix, changed := 0, 0, 0
		for n := 1; n <= 30; n++ {
			action, sent := ask(t, up.Server, r, conversePath, converseSession(n, point), bearer)
			found := up.Requests()[0].Note.(fakeconverse.Found)
			if action == "none" {
				continue
			}
			changed++
			read, byPrefix = read+found.CacheRead, byPrefix+found.ByPrefix
			points := bytes.Count(sent, []byte(`"cachePoint":`+point))
			if points < 2 || points > 4 || bytes.Count(sent, []byte("cachePoint")) != points {
				t.Fatalf("%d turns: %d cache points like the client's: %s", n, points, sent)
			}
		}
		if changed < 10 || read*100 < byPrefix*90 {
			t.Errorf("%d requests were compacted: %d tokens were read from the cache, %d can be",
				changed, read, byPrefix)
		}
	}
}

// Thinking of a model that binds it to the conversation is left out where that changed.
func TestThinkingOverConverse(t *testing.T) {
	calls := 0
	up, r := startConverse(t, fakeconverse.Config{Binds: true,
		Reply: func(*fakeconverse.Request) []fakeconverse.Block {
			calls++
			id := fmt.Sprintf("t%d", calls)
			return []fakeconverse.Block{{Call: &fakeconverse.Call{ID: id, Name: "read_file",
				Input: json.RawMessage(`{"path":"a.go"}`)}}}
		}}, payingBetween(6000, 3000))
	const path = "/model/us.anthropic." + checking + "-v1%3A0/converse"
	list := []string{`{"role":"user","content":[{"text":"Mend all files."}]}`}
	changed, thinking := 0, 0
	for n := range 60 {
		body := `{"messages":[` + strings.Join(list, ",") + `],"toolConfig":{"tools":[{` +
			`"toolSpec":{"name":"read_file","inputSchema":{"json":{"type":"object"}}}}]},` +
			`"additionalModelRequestFields":{"thinking":{"type":"adaptive"}}}`
		up.Reset()
		a := r.Ask(t, "POST", path, []byte(body), bearer...)
		if a.Status != 200 || len(up.Requests()) != 1 {
			t.Fatalf("turn %d: %d %s", n, a.Status, a.Body)
		}
		if a.Action() != "none" {
			changed++
			thinking += bytes.Count(up.Requests()[0].Body, []byte("reasoningContent"))
		}
		var answer struct {
			Output struct{ Message json.RawMessage }
		}
		if err := json.Unmarshal(a.Body, &answer); err != nil {
			t.Fatal(err)
		}
		list = append(list, string(answer.Output.Message), fmt.Sprintf(`{"role":"user","content":[`+
			`{"toolResult":{"toolUseId":"t%d","content":[{"text":"%s"}]}}]}`, n+1,
			strings.Repeat(fmt.Sprintf(`func a%d() error { return nil }\n`, n), 60)))
	}
	if changed < 30 || thinking == 0 {
		t.Errorf("%d requests were compacted, with %d thoughts", changed, thinking)
	}
}

// Usage is read from whole answers and from frames, which reach the client as they are; the model
// from the path, in each of its forms.
func TestConverseAnswersAreRead(t *testing.T) {
	up, r := startConverse(t, fakeconverse.Config{}, func(c *config.Config) {
		c.Models = map[string]config.ModelSpec{"us.amazon.nova-off-v1:0": {Mode: "off"}}
	})
	body := converseSession(2, "")
	want := 0
	for _, path := range []string{
		conversePath, conversePath + "-stream", "/bedrock" + conversePath,
		strings.Replace(conversePath, ":", "%3A", 1),
		"/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.amazon.nova-pro-v1" +
			"%3A0/converse-stream",
	} {
		if action, sent := ask(t, up.Server, r, path, body, bearer); action != "none" ||
			!bytes.Equal(sent, body) {
			t.Fatalf("%s: %s, or other bytes", path, action)
		}
		want += up.Requests()[0].Note.(fakeconverse.Found).Prompt() + 7
		wantTokens(t, r, want)
	}
	if action, _ := ask(t, up.Server, r, "/model/us.amazon.nova-off-v1%3A0/converse",
		body, bearer); action != "bypass" {
		t.Errorf("a model with its own mode: %s, want bypass", action)
	}
}

// A signed request and one that continues a prompt of the server's are left alone.
func TestConverseThatPasses(t *testing.T) {
	up, r := startConverse(t, fakeconverse.Config{}, between(2000, 1000))
	body := converseSession(20, "")
	prompt := bytes.Replace(body, []byte(`{`), []byte(`{"promptVariables":{"a":{"text":"b"}},`), 1)
	for _, c := range []struct {
		name   string
		body   []byte
		header []string
		passes bool
	}{
		{"a key of Bedrock's", body, bearer, false},
		{"behind a gateway that signs", body, nil, false},
		{"signed", body, []string{"Authorization", "AWS4-HMAC-SHA256 Credential=A/20260101/" +
			"us-east-1/bedrock/aws4_request, Signature=0a"}, true},
		{"a prompt's", prompt, bearer, true},
		{"observed", body, append([]string{"Killick-Mode", "observe"}, bearer...), true},
	} {
		up.Reset()
		a := r.Ask(t, "POST", conversePath, c.body, c.header...)
		sent := up.Requests()[0].Body
		if same := bytes.Equal(sent, c.body); a.Status != 200 || same != c.passes ||
			!same && len(sent) > len(c.body)/2 {
			t.Errorf("%s: %d, %d of %d bytes were sent", c.name, a.Status, len(sent), len(c.body))
		}
	}
}

// A request that the API refuses as too long is sent again in a smaller form, also if the refusal
// is in the first frame of a stream.
func TestConverseOverflow(t *testing.T) {
	for _, path := range []string{conversePath, conversePath + "-stream"} {
		for _, inStream := range []bool{false, true} {
			up, r := startConverse(t, fakeconverse.Config{Window: 9000, InStream: inStream}, nil)
			body := converseSession(24, "")
			action, sent := ask(t, up.Server, r, path, body, bearer)
			if !strings.Contains(action, "retry") || len(sent) >= len(body) {
				t.Errorf("%s: %s: %d of %d bytes were sent", path, action, len(sent), len(body))
			}
		}
	}
}

// Errors have the shape that Amazon's clients read.
func TestConverseErrors(t *testing.T) {
	up, r := startConverse(t, fakeconverse.Config{}, nil)
	up.Close()
	a := r.Ask(t, "POST", conversePath, converseSession(1, ""), bearer...)
	var body struct {
		Type    string `json:"__type"`
		Message string
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != 502 || body.Message == "" ||
		body.Type != "ServiceUnavailableException" ||
		a.Header.Get("X-Amzn-Errortype") != body.Type {
		t.Errorf("%d %s (%v), %v", a.Status, a.Body, err, a.Header)
	}
}

// What a feature does not support of this format is left out: requests are compacted without it.
func TestConverseWithoutOtherFormatsFeatures(t *testing.T) {
	up, r := startConverse(t, fakeconverse.Config{}, func(c *config.Config) {
		between(6000, 3000)(c)
		paying(c)
		c.Compaction.Expand = config.ExpandTool
		c.Compaction.Summarizer = "model"
		c.CacheKeepAlive.Enabled = true
	})
	for n := 20; n <= 24; n++ {
		_, sent := ask(t, up.Server, r, conversePath, converseSession(n, ""), bearer)
		if bytes.Contains(sent, []byte(`"name":"killick_expand"`)) {
			t.Fatal("a tool was added that nobody answers")
		}
		if len(sent) > len(converseSession(n, ""))/2 {
			t.Errorf("%d turns: %d bytes were sent", n, len(sent))
		}
	}
	if r.total(t, "fail_opens_total") != 0 {
		t.Error("a request failed open")
	}
}

// The operator's key takes the place of the client's.
func TestConverseKeys(t *testing.T) {
	up, r := startConverse(t, fakeconverse.Config{}, func(c *config.Config) {
		c.Upstream.APIKey = "operators-key"
	})
	for _, header := range [][]string{bearer, {"X-Other", "x"}} {
		up.Reset()
		a := r.Ask(t, "POST", conversePath, converseSession(1, ""), header...)
		got := up.Requests()[0].Header.Get("Authorization")
		if a.Status != 200 || got != "Bearer operators-key" {
			t.Errorf("%d: the upstream got the key %q", a.Status, got)
		}
	}
}
