package formats

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"killick/internal/e2e/proxytest"
	"killick/rawjson"
)

// gateway is an upstream that speaks chat completions for a Claude model that checks what precedes
// its thinking. member is where a message has that.
type gateway struct {
	member   string
	refusals atomic.Int64
	last     atomic.Pointer[rawjson.Value] // the last request that was answered
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	before, at := sha256.New(), 0
	for m := range rawjson.Value(body).Get("messages").Elements() {
		for block := range m.Get(g.member).Elements() {
			if !block.Get("signature").Is(hex.EncodeToString(before.Sum(nil))) {
				g.refusals.Add(1)
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, `{"error":{"message":"Provider returned error","code":400,`+
					`"metadata":{"raw":"{\"message\":\"messages.%d.content.0: Invalid signature `+
					`in thinking block. The block is bound to a different conversation.\"}",`+
					`"provider_name":"Amazon Bedrock"}}}`, at)
				return
			}
		}
		before.Write(rawjson.WithMembers(m, map[string]rawjson.Value{g.member: nil}))
		at++
	}
	sent := rawjson.Value(body)
	g.last.Store(&sent)
	_, _ = fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,`+
		`%q:[{"type":"reasoning.text","text":"I look.","signature":"%x"}],"tool_calls":[{`+
		`"id":"call_%d","type":"function","function":{"name":"read","arguments":"{\"path\":`+
		`\"f%d.go\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,`+
		`"completion_tokens":1}}`, g.member, before.Sum(nil), at, at)
}

// Gateways give clients the signed thinking of Claude over chat completions, too, and its API
// checks it. What was signed before a fold is left out where the name of the model says that it is
// checked, and otherwise when the API refuses it: the client never sees an error.
func TestThinkingOverChat(t *testing.T) {
	for _, test := range []struct {
		member, model string
		refusals      bool
	}{
		{"reasoning_details", "anthropic/claude-opus-5.5", false},
		{"thinking_blocks", "claude-sonnet-5-5", false},
		{"reasoning_details", "smart", true},
	} {
		t.Run(test.model, func(t *testing.T) {
			t.Parallel()
			g := &gateway{member: test.member}
			up := httptest.NewServer(g)
			t.Cleanup(up.Close)
			r := newDeployment(t, up.URL+"/v1", between(8000, 4000)).start(t)
			messages := `{"role":"user","content":"Find where the limit is parsed."}`
			folds, signed := map[string]bool{}, false
			for turn := range 60 {
				body := `{"model":"` + test.model + `","messages":[` + messages + `]}`
				a := proxytest.Ask(t, "POST", r.Public+"/v1/chat/completions", []byte(body),
					"Authorization", "Bearer key")
				if a.Status != http.StatusOK {
					t.Fatalf("turn %d: %d %s", turn, a.Status, a.Body)
				}
				if ref := a.Header.Get("Killick-Summary"); ref != "" {
					folds[ref] = true
					signed = signed || strings.Contains(string(*g.last.Load()), test.member)
				}
				var reply rawjson.Value
				for choice := range rawjson.Value(a.Body).Get("choices").Elements() {
					reply = choice.Get("message")
				}
				var id rawjson.Value
				for call := range reply.Get("tool_calls").Elements() {
					id = call.Get("id")
				}
				messages += fmt.Sprintf(`,%s,{"role":"tool","tool_call_id":%s,"content":"%s"}`,
					reply, id, strings.Repeat(fmt.Sprintf(`line %d of a file\n`, turn), 80))
			}
			if refused := g.refusals.Load() > 0; refused != test.refusals || len(folds) == 0 {
				t.Errorf("%d refusals, want any: %v; %d records, want any",
					g.refusals.Load(), test.refusals, len(folds))
			}
			if !test.refusals && !signed {
				t.Error("no thinking was sent after a record: nothing is shown")
			}
		})
	}
}
