package proxy

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"killick/proxy/class"
	"killick/proxy/reply"
)

// routing returns what the route table makes of a request line, and what it answered.
func routing(
	t testing.TB, p *Proxy, method, target string,
) (class.Class, *httptest.ResponseRecorder) {
	t.Helper()
	line := method + " " + target + " HTTP/1.1\r\nHost: p\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(line)))
	if err != nil {
		t.Skip("no server lets it through")
	}
	answer := httptest.NewRecorder()
	answer.Code = 0 // until something is written
	w := reply.New(answer, r, 0)
	to := p.route(w, r)
	if to == class.Own != (w.Status() != 0) || to != class.Own && len(answer.Header()) > 0 {
		t.Errorf("%s %s: %s, answered %d with %v", method, target, to, w.Status(),
			answer.Header())
	}
	return to, answer
}

func TestRouteTable(t *testing.T) {
	p := newRig(t, new(recorder)).proxy
	for _, test := range []struct {
		method, target string
		class          class.Class
		status         int // of our own answer
		allow          string
	}{
		{"POST", "/v1/chat/completions", class.Chat, 0, ""},
		{"POST", "/chat/completions", class.Chat, 0, ""},
		{"POST", "/v1/chat/completions?api-version=1", class.Chat, 0, ""},
		{"POST", "http://elsewhere/v1/chat/completions", class.Chat, 0, ""},
		{"POST", "//v1//chat/completions", class.Chat, 0, ""},
		{"POST", "/chat/chat/completions", class.Chat, 0, ""},
		{"POST", "/openai/deployments/gpt/chat/completions", class.Chat, 0, ""},
		{"POST", "/openai/deployments/a%2Fb%20c/chat/completions", class.Chat, 0, ""},
		{"POST", "/v1beta1/projects/p/locations/l/endpoints/openapi/chat/completions", class.Chat,
			0, ""},
		{"POST", strings.Repeat("/a", 16) + "/chat/completions", class.Chat, 0, ""},

		{"POST", "/v1/messages", class.Messages, 0, ""},
		{"POST", "/v1/messages?beta=true", class.Messages, 0, ""},
		{"POST", "/messages", class.Messages, 0, ""},
		{"POST", "/anthropic/v1/messages", class.Messages, 0, ""},
		{"POST", "/v1/responses", class.Responses, 0, ""},
		{"POST", "/responses", class.Responses, 0, ""},
		{"POST", "/openai/responses?api-version=1", class.Responses, 0, ""},
		{"POST", "/backend-api/codex/responses", class.Responses, 0, ""},
		{"POST", "/v1/messages/count_tokens", class.Pass, 0, ""},
		{"POST", "/v1/messages/batches", class.Pass, 0, ""},
		{"POST", "/v1/threads/t/messages", class.Pass, 0, ""},
		{"GET", "/v1/messages", class.Pass, 0, ""},
		{"POST", "/v1/responses/compact", class.Pass, 0, ""},
		{"POST", "/v1/responses/input_tokens", class.Pass, 0, ""},
		{"POST", "/v1/responses/resp_1/cancel", class.Pass, 0, ""},
		{"GET", "/v1/responses/resp_1", class.Pass, 0, ""},
		{"GET", "/v1/responses", class.Pass, 0, ""},
		{"POST", "/v1beta/models/m:generateContent", class.Gemini, 0, ""},
		{"POST", "/v1beta/models/m:streamGenerateContent?alt=sse", class.Gemini, 0, ""},
		{"POST", "/v1beta/models/m%3AgenerateContent", class.Gemini, 0, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
			class.Gemini, 0, ""},
		{"POST", "/models/m:generateContent", class.Gemini, 0, ""},
		{"POST", "/v1beta/models/m:countTokens", class.Pass, 0, ""},
		{"POST", "/v1internal:generateContent", class.Assist, 0, ""},
		{"POST", "/v1internal:streamGenerateContent?alt=sse", class.Assist, 0, ""},
		{"POST", "/v1internal%3AstreamGenerateContent", class.Assist, 0, ""},
		{"POST", "/gateway/google/v1internal:generateContent", class.Assist, 0, ""},
		{"POST", "/v1internal:countTokens", class.Pass, 0, ""},
		{"POST", "/v1internal:loadCodeAssist", class.Pass, 0, ""},
		{"POST", "/v1internalx:generateContent", class.Pass, 0, ""},
		{"POST", "/v1internal", class.Pass, 0, ""},
		{"GET", "/v1internal:generateContent", class.Pass, 0, ""},
		{"GET", "/v1internal/operations/o", class.Pass, 0, ""},
		{"POST", "/killick/v1internal:generateContent", class.Own, 404, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/anthropic/models/c@1:streamRawPredict",
			class.Vertex, 0, ""},
		{"POST", "/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict",
			class.Vertex, 0, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict",
			class.Pass, 0, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict", class.Pass,
			0, ""},
		{"POST", "/v1beta/tunedModels/m:generateContent", class.Pass, 0, ""},
		{"GET", "/v1beta/models/m:generateContent", class.Pass, 0, ""},
		{"POST", "/model/us.anthropic.claude-opus-5-5-v1:0/invoke", class.Bedrock, 0, ""},
		{"POST", "/model/anthropic.claude-x/invoke-with-response-stream", class.Bedrock, 0, ""},
		{"POST", "/gateway/bedrock/model/anthropic.c%3A0/invoke", class.Bedrock, 0, ""},
		{"POST", "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2F" +
			"us.anthropic.c/invoke", class.Bedrock, 0, ""},
		{"POST", "/model/arn:aws:bedrock:us-east-1:1:application-inference-profile%2Fa/invoke",
			class.Bedrock, 0, ""},
		{"POST", "/model/anthropic.c/invoke?X-Amz-Signature=0a", class.Pass, 0, ""},
		{"POST", "/model/anthropic.c/count-tokens", class.Pass, 0, ""},
		{"POST", "/model/anthropic.c/converse", class.Converse, 0, ""},
		{"POST", "/gateway/model/us.amazon.nova-pro-v1%3A0/converse-stream", class.Converse, 0, ""},
		{"POST", "/model/arn:aws:bedrock:us-east-1:1:application-inference-profile%2Fa/converse",
			class.Converse, 0, ""},
		{"POST", "/model/m/converse?X-Amz-Signature=0a", class.Pass, 0, ""},
		{"GET", "/model/m/converse", class.Pass, 0, ""},
		{"POST", "/model/m/invoke", class.Pass, 0, ""},
		{"GET", "/model/anthropic.c/invoke", class.Pass, 0, ""},
		{"POST", "/api/chat", class.Ollama, 0, ""},
		{"POST", "/ollama/api/chat", class.Ollama, 0, ""},
		{"GET", "/api/chat", class.Pass, 0, ""},
		{"POST", "/api/chat/", class.Pass, 0, ""},
		{"POST", "/api/generate", class.Pass, 0, ""},
		{"POST", "/api/chat/completions", class.Chat, 0, ""},
		{"POST", "/killick/v1/messages", class.Own, 404, ""},
		{"POST", "/killick/responses", class.Own, 404, ""},

		{"POST", "/v1/chat%2Fcompletions", class.Pass, 0, ""}, // one segment
		{"POST", "/v1/chat/completion%73", class.Pass, 0, ""},
		{"POST", "/v1/chat/completions/", class.Pass, 0, ""},
		{"POST", "/v1/chat/completions/../x", class.Pass, 0, ""},
		{"POST", "/v1/chat/completions/chat_1", class.Pass, 0, ""},
		{"POST", "/v1/xchat/completions", class.Pass, 0, ""},
		{"POST", "/v1/Chat/Completions", class.Pass, 0, ""},
		{"GET", "/v1/chat/completions", class.Pass, 0, ""},
		{"HEAD", "/v1/chat/completions", class.Pass, 0, ""},
		{"OPTIONS", "*", class.Pass, 0, ""},
		{"GET", "/", class.Pass, 0, ""},
		{"GET", "/v1/models/a%2Fb", class.Pass, 0, ""},
		{"WEIRD", "/v1/chat/completions", class.Pass, 0, ""},
		{"CONNECT", "elsewhere:443", class.Pass, 0, ""},
		{"GET", "/healthz/", class.Pass, 0, ""},
		{"GET", "//healthz", class.Pass, 0, ""},
		{"GET", "/%68ealthz", class.Pass, 0, ""}, // not ours as it was sent
		{"GET", "/killicks", class.Pass, 0, ""},
		{"GET", "/v1/../killick/version", class.Pass, 0, ""},

		{"GET", "/healthz", class.Own, 200, ""},
		{"HEAD", "/healthz", class.Own, 200, ""},
		{"GET", "/readyz?x=1", class.Own, 200, ""},
		{"GET", "/killick/version", class.Own, 200, ""},
		{"GET", "http://elsewhere/killick/version", class.Own, 200, ""},
		{"POST", "/healthz", class.Own, 405, "GET, HEAD"},
		{"DELETE", "/killick/version", class.Own, 405, "GET, HEAD"},
		{"GET", "/killick/data", class.Own, 405, "DELETE"},
		{"WEIRD", "/killick/outputs/x", class.Own, 405, "GET, HEAD"},
		{"GET", "/killick", class.Own, 404, ""},
		{"GET", "/killick/", class.Own, 404, ""},
		{"GET", "/killick/version/", class.Own, 404, ""},
		{"GET", "/killick/%2e%2e/v1/models", class.Own, 404, ""},
		{"GET", "/killick/outputs%2Fx", class.Own, 404, ""},
		{"GET", "/killick/outputs/a%2Fb", class.Own, 400, ""},
		{"POST", "/killick/chat/completions", class.Own, 404, ""},
		{"POST", "/killick/outputs/x/chat/completions", class.Own, 404, ""},
	} {
		to, answer := routing(t, p, test.method, test.target)
		if to != test.class || answer.Code != test.status ||
			answer.Header().Get("Allow") != test.allow {
			t.Errorf("%s %s: %s, %d, Allow %q; want %s, %d, %q", test.method, test.target, to,
				answer.Code, answer.Header().Get("Allow"), test.class, test.status, test.allow)
		}
	}
}

// FuzzRoutes: whatever is asked for, the table decides as the rule in words does, and
// answers nothing that is the upstream's.
func FuzzRoutes(f *testing.F) {
	for _, path := range []string{"v1/chat/completions", "", "killick/x", "healthz",
		"chat/completions",
		"%2Fchat/completions", "a//chat/completions", "killick/outputs/%zz", ":prefix0/*ref",
		"chat/chat", "v1/messages", "messages", "x/v1/messages", "v1/responses", "a/responses",
		"v1/v1/messages", "threads/t/messages"} {
		f.Add("POST", path)
		f.Add("GET", path)
	}
	p := newRig(f, new(recorder)).proxy
	f.Fuzz(func(t *testing.T, method, path string) {
		target := "/" + path
		if strings.ContainsAny(method+target, " \t\r\n\v\f?#") {
			return
		}
		got, _ := routing(t, p, method, target)
		want, found, rest := class.Pass, false, ""
		for suffix, of := range map[string]class.Class{"/chat/completions": class.Chat,
			"/v1/messages": class.Messages, "/responses": class.Responses} {
			if prefix, ok := strings.CutSuffix(target, suffix); ok {
				found, rest, want = true, prefix, of
			}
		}
		ended := want
		switch {
		case target == "/killick" || strings.HasPrefix(target, "/killick/"), target == "/healthz",
			target == "/readyz":
			want = class.Own
		case target == "/messages" && method == "POST":
			want = class.Messages
		case !found || method != "POST" || strings.Count(rest, "/") > 16:
			want = class.Pass
		default:
			want = ended
		}
		if got != want {
			t.Errorf("%s %s: %s, want %s", method, target, got, want)
		}
	})
}
