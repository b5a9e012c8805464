package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/proxy/expand"
	"killick/rawjson"
	"killick/view"
)

// asksForRefs is a model that reads the first ref that it sees, and then says what it got.
func asksForRefs(r *view.Request) fakeupstream.Reply {
	msgs := r.Messages()
	last := &msgs[len(msgs)-1]
	for i := range msgs {
		for _, call := range msgs[i].ToolCalls() {
			if call.Name == expand.Name && call.ID == last.ToolCallID() {
				return fakeupstream.Reply{Content: last.Text()}
			}
		}
	}
	for i := range msgs {
		if ref := anyRef.FindStringSubmatch(msgs[i].Text()); ref != nil {
			return fakeupstream.Reply{ToolCalls: []fakeupstream.ToolCall{{Name: expand.Name,
				Arguments: `{"ref":"` + ref[1] + `"}`}}}
		}
	}
	return fakeupstream.Reply{Content: "Nothing was left out."}
}

// withTools is a body with a tool of the client's.
func withTools(body []byte) []byte {
	return bytes.Replace(body, []byte(`{"model":"gpt-4o",`), []byte(`{"model":"gpt-4o","tools":[`+
		`{"type":"function","function":{"name":"read_file","parameters":{"type":"object"}}}],`), 1)
}

// A model reads what was masked or folded, by the ref of the placeholder or the record, which say
// how. At every turn the tools are the same, also before anything was compacted, and what is
// forwarded of a form that stands begins with the bytes of the turn before.
func TestModelsReadWhatWasLeftOut(t *testing.T) {
	noLeaks(t)
	for name, test := range map[string]struct {
		set   func(*config.Config)
		turns int
	}{"masked": {between(3200, 2200), 8}, "folded": {between(9000, 1500), 14}} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, fakeupstream.Config{Reply: asksForRefs}, func(c *config.Config) {
				test.set(c)
				c.Compaction.Expand = config.ExpandTool
			})
			read, actions, tools := 0, "", rawjson.Value(nil)
			for _, body := range sessionTurns("anybody", test.turns) {
				g.upstream.Reset()
				f := ask(t, g.url+chatPath, withTools(body), "Authorization", "Bearer sk-mine")
				actions += f.header.Get("Killick-Action") + " "
				seen := g.upstream.Requests()
				sent := mustParse(t, seen[0].Body)
				if tools == nil {
					tools = sent.Field("tools")
				}
				if got := sent.Field("tools"); !bytes.Equal(got, tools) ||
					bytes.Count(got, []byte(expand.Name)) != 1 {
					t.Fatalf("the tools are %s, and were %s", got, tools)
				}
				ref := anyRef.FindSubmatch(seen[0].Body)
				if ref == nil {
					continue
				}
				read++
				if !bytes.Contains(seen[0].Body, []byte("call "+expand.Name+" with the ref")) {
					t.Errorf("nothing says how a ref is read: %s", seen[0].Body)
				}
				_, want := output(t, g, "sk-mine", string(ref[1]))
				got := rawjson.Value(f.reply).Get("choices")
				for choice := range got.Elements() {
					if text := choice.Get("message").Get("content").Text(); text != want {
						t.Errorf("the model read %.80q, want %.80q", text, want)
					}
				}
				if len(seen) != 2 || !bytes.HasPrefix(seen[1].Body,
					bytes.TrimSuffix(seen[0].Body, []byte(`]}`))) {
					t.Errorf("%d requests, the second %s", len(seen), seen[len(seen)-1].Body)
				}
				if h := f.header.Get("Killick-Expand"); h != "offered; answered=1" {
					t.Errorf("the reply says %q", h)
				}
			}
			if folded := strings.Contains(actions, "summary"); read == 0 ||
				folded != (name == "folded") {
				t.Errorf("%d texts were read, with the actions %q", read, actions)
			}
		})
	}
}

// A request that was refused as too long has the tool in its smaller form, and what that leaves out
// is read in the same reply, streamed or not.
func TestModelsReadWhatARefusalLeftOut(t *testing.T) {
	for _, stream := range []string{"", `"stream":true,`} {
		g := newGateway(t, fakeupstream.Config{Window: 4500, Reply: asksForRefs},
			func(c *config.Config) { c.Compaction.Expand = config.ExpandTool })
		body := bytes.Replace(withTools(sessionBody("anybody", 8)), []byte(`{`),
			[]byte(`{`+stream), 1)
		f := ask(t, g.url+chatPath, body, "Authorization", "Bearer sk-mine")
		seen := g.upstream.Requests()
		last := seen[len(seen)-1]
		if len(seen) != 3 || seen[0].Status != http.StatusBadRequest ||
			bytes.Count(last.Body, []byte(`"name":"`+expand.Name)) != 2 {
			t.Errorf("stream %t: %d requests, the last %s", stream != "", len(seen), last.Body)
		}
		if f.status != http.StatusOK || bytes.Contains(f.reply, []byte(expand.Name)) ||
			!f.did("retry") {
			t.Errorf("stream %t: the client got %d %s", stream != "", f.status, f.reply)
		}
	}
}

// keyed sends requests with a key.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if k.key != "" {
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A client of MCP reads what was left out under its own key, and nobody else's; the requests get no
// tool.
func TestMCPGivesWhatWasLeftOut(t *testing.T) {
	noLeaks(t)
	body := withTools(sessionBody("anybody", 8))
	set := func(c *config.Config) {
		between(3200, 2200)(c)
		c.Compaction.Expand = config.ExpandMCP
	}
	g := newGateway(t, fakeupstream.Config{}, set)
	f := g.chat(t, "sk-mine", body)
	if bytes.Contains(f.body, []byte(`"name":"`+expand.Name)) ||
		!bytes.Contains(f.body, []byte("call "+expand.Name+" with the ref")) {
		t.Errorf("sent %s", f.body)
	}
	for ref, want := range hiddenOutputs(t, body, f.body, "[Output masked") {
		for key, isMine := range map[string]bool{"sk-mine": true, "sk-other": false, "": false} {
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(
				t.Context(), &mcp.StreamableClientTransport{Endpoint: g.url + "/killick/mcp",
					HTTPClient: &http.Client{Transport: keyed{key}}, DisableStandaloneSSE: true},
				nil)
			if err != nil {
				t.Fatal(err)
			}
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != expand.Name {
				t.Fatalf("the tools are %v, %v", tools, err)
			}
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: expand.Name,
				Arguments: map[string]any{"ref": ref}})
			if err != nil {
				t.Fatal(err)
			}
			text := got.Content[0].(*mcp.TextContent).Text
			if got.IsError == isMine || isMine && text != want ||
				!isMine && !strings.Contains(text, "Nothing is kept under this ref") {
				t.Errorf("key %q: error %t, %.80q", key, got.IsError, text)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Unless it is asked for, there is no server, and placeholders speak of none.
func TestExpandIsOffByDefault(t *testing.T) {
	body := withTools(sessionBody("anybody", 8))
	g := newGateway(t, fakeupstream.Config{}, between(3200, 2200))
	if f := g.chat(t, "sk-mine", body); bytes.Contains(f.body, []byte(expand.Name)) ||
		!bytes.Contains(f.body, []byte("[Output masked")) ||
		f.header.Get("Killick-Expand") != "" {
		t.Errorf("sent %s", f.body)
	}
	status, _ := send(t, http.MethodPost, g.url+"/killick/mcp", []byte(`{}`))
	if status != http.StatusNotFound {
		t.Errorf("POST /killick/mcp: status %d, want 404", status)
	}
}
