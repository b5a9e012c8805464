package proxy

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"killick/proxy/reply"
)

// routing returns what the route table makes of a request line, and what it answered.
func routing(t testing.TB, p *Proxy, method, target string) (class, *httptest.ResponseRecorder) {
	t.Helper()
	line := method + " " + target + " HTTP/1.1\r\nHost: p\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(line)))
	if err != nil {
		t.Skip("no server lets it through")
	}
	answer := httptest.NewRecorder()
	answer.Code = 0 // until something is written
	w := reply.New(answer, r, 0)
	class := p.route(w, r)
	if class == classOwn != (w.Status() != 0) || class != classOwn && len(answer.Header()) > 0 {
		t.Errorf("%s %s: %s, answered %d with %v", method, target, class, w.Status(),
			answer.Header())
	}
	return class, answer
}

func TestRouteTable(t *testing.T) {
	p := newRig(t, new(recorder)).proxy
	for _, test := range []struct {
		method, target string
		class          class
		status         int // of our own answer
		allow          string
	}{
		{"POST", "/v1/chat/completions", classChat, 0, ""},
		{"POST", "/chat/completions", classChat, 0, ""},
		{"POST", "/v1/chat/completions?api-version=1", classChat, 0, ""},
		{"POST", "http://elsewhere/v1/chat/completions", classChat, 0, ""},
		{"POST", "//v1//chat/completions", classChat, 0, ""},
		{"POST", "/chat/chat/completions", classChat, 0, ""},
		{"POST", "/openai/deployments/gpt/chat/completions", classChat, 0, ""},
		{"POST", "/openai/deployments/a%2Fb%20c/chat/completions", classChat, 0, ""},
		{"POST", "/v1beta1/projects/p/locations/l/endpoints/openapi/chat/completions", classChat, 0,
			""},
		{"POST", strings.Repeat("/a", 16) + "/chat/completions", classChat, 0, ""},

		{"POST", "/v1/messages", classMessages, 0, ""},
		{"POST", "/v1/messages?beta=true", classMessages, 0, ""},
		{"POST", "/messages", classMessages, 0, ""},
		{"POST", "/anthropic/v1/messages", classMessages, 0, ""},
		{"POST", "/v1/responses", classResponses, 0, ""},
		{"POST", "/responses", classResponses, 0, ""},
		{"POST", "/openai/responses?api-version=1", classResponses, 0, ""},
		{"POST", "/backend-api/codex/responses", classResponses, 0, ""},
		{"POST", "/v1/messages/count_tokens", classPass, 0, ""},
		{"POST", "/v1/messages/batches", classPass, 0, ""},
		{"POST", "/v1/threads/t/messages", classPass, 0, ""},
		{"GET", "/v1/messages", classPass, 0, ""},
		{"POST", "/v1/responses/compact", classPass, 0, ""},
		{"POST", "/v1/responses/input_tokens", classPass, 0, ""},
		{"POST", "/v1/responses/resp_1/cancel", classPass, 0, ""},
		{"GET", "/v1/responses/resp_1", classPass, 0, ""},
		{"GET", "/v1/responses", classPass, 0, ""},
		{"POST", "/v1beta/models/m:generateContent", classGemini, 0, ""},
		{"POST", "/v1beta/models/m:streamGenerateContent?alt=sse", classGemini, 0, ""},
		{"POST", "/v1beta/models/m%3AgenerateContent", classGemini, 0, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
			classGemini, 0, ""},
		{"POST", "/models/m:generateContent", classGemini, 0, ""},
		{"POST", "/v1beta/models/m:countTokens", classPass, 0, ""},
		{"POST", "/v1internal:generateContent", classAssist, 0, ""},
		{"POST", "/v1internal:streamGenerateContent?alt=sse", classAssist, 0, ""},
		{"POST", "/v1internal%3AstreamGenerateContent", classAssist, 0, ""},
		{"POST", "/gateway/google/v1internal:generateContent", classAssist, 0, ""},
		{"POST", "/v1internal:countTokens", classPass, 0, ""},
		{"POST", "/v1internal:loadCodeAssist", classPass, 0, ""},
		{"POST", "/v1internalx:generateContent", classPass, 0, ""},
		{"POST", "/v1internal", classPass, 0, ""},
		{"GET", "/v1internal:generateContent", classPass, 0, ""},
		{"GET", "/v1internal/operations/o", classPass, 0, ""},
		{"POST", "/killick/v1internal:generateContent", classOwn, 404, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/anthropic/models/c@1:streamRawPredict",
			classVertex, 0, ""},
		{"POST", "/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict",
			classVertex, 0, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict",
			classPass, 0, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict", classPass,
			0, ""},
		{"POST", "/v1beta/tunedModels/m:generateContent", classPass, 0, ""},
		{"GET", "/v1beta/models/m:generateContent", classPass, 0, ""},
		{"POST", "/model/us.anthropic.claude-opus-5-5-v1:0/invoke", classBedrock, 0, ""},
		{"POST", "/model/anthropic.claude-x/invoke-with-response-stream", classBedrock, 0, ""},
		{"POST", "/gateway/bedrock/model/anthropic.c%3A0/invoke", classBedrock, 0, ""},
		{"POST", "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2F" +
			"us.anthropic.c/invoke", classBedrock, 0, ""},
		{"POST", "/model/arn:aws:bedrock:us-east-1:1:application-inference-profile%2Fa/invoke",
			classBedrock, 0, ""},
		{"POST", "/model/anthropic.c/invoke?X-Amz-Signature=0a", classPass, 0, ""},
		{"POST", "/model/anthropic.c/count-tokens", classPass, 0, ""},
		{"POST", "/model/anthropic.c/converse", classConverse, 0, ""},
		{"POST", "/gateway/model/us.amazon.nova-pro-v1%3A0/converse-stream", classConverse, 0, ""},
		{"POST", "/model/arn:aws:bedrock:us-east-1:1:application-inference-profile%2Fa/converse",
			classConverse, 0, ""},
		{"POST", "/model/m/converse?X-Amz-Signature=0a", classPass, 0, ""},
		{"GET", "/model/m/converse", classPass, 0, ""},
		{"POST", "/model/m/invoke", classPass, 0, ""},
		{"GET", "/model/anthropic.c/invoke", classPass, 0, ""},
		{"POST", "/api/chat", classOllama, 0, ""},
		{"POST", "/ollama/api/chat", classOllama, 0, ""},
		{"GET", "/api/chat", classPass, 0, ""},
		{"POST", "/api/chat/", classPass, 0, ""},
		{"POST", "/api/generate", classPass, 0, ""},
		{"POST", "/api/chat/completions", classChat, 0, ""},
		{"POST", "/killick/v1/messages", classOwn, 404, ""},
		{"POST", "/killick/responses", classOwn, 404, ""},

		{"POST", "/v1/chat%2Fcompletions", classPass, 0, ""}, // one segment
		{"POST", "/v1/chat/completion%73", classPass, 0, ""},
		{"POST", "/v1/chat/completions/", classPass, 0, ""},
		{"POST", "/v1/chat/completions/../x", classPass, 0, ""},
		{"POST", "/v1/chat/completions/chat_1", classPass, 0, ""},
		{"POST", "/v1/xchat/completions", classPass, 0, ""},
		{"POST", "/v1/Chat/Completions", classPass, 0, ""},
		{"GET", "/v1/chat/completions", classPass, 0, ""},
		{"HEAD", "/v1/chat/completions", classPass, 0, ""},
		{"OPTIONS", "*", classPass, 0, ""},
		{"GET", "/", classPass, 0, ""},
		{"GET", "/v1/models/a%2Fb", classPass, 0, ""},
		{"WEIRD", "/v1/chat/completions", classPass, 0, ""},
		{"CONNECT", "elsewhere:443", classPass, 0, ""},
		{"GET", "/healthz/", classPass, 0, ""},
		{"GET", "//healthz", classPass, 0, ""},
		{"GET", "/%68ealthz", classPass, 0, ""}, // not ours as it was sent
		{"GET", "/killicks", classPass, 0, ""},
		{"GET", "/v1/../killick/version", classPass, 0, ""},

		{"GET", "/healthz", classOwn, 200, ""},
		{"HEAD", "/healthz", classOwn, 200, ""},
		{"GET", "/readyz?x=1", classOwn, 200, ""},
		{"GET", "/killick/version", classOwn, 200, ""},
		{"GET", "http://elsewhere/killick/version", classOwn, 200, ""},
		{"POST", "/healthz", classOwn, 405, "GET, HEAD"},
		{"DELETE", "/killick/version", classOwn, 405, "GET, HEAD"},
		{"GET", "/killick/data", classOwn, 405, "DELETE"},
		{"WEIRD", "/killick/outputs/x", classOwn, 405, "GET, HEAD"},
		{"GET", "/killick", classOwn, 404, ""},
		{"GET", "/killick/", classOwn, 404, ""},
		{"GET", "/killick/version/", classOwn, 404, ""},
		{"GET", "/killick/%2e%2e/v1/models", classOwn, 404, ""},
		{"GET", "/killick/outputs%2Fx", classOwn, 404, ""},
		{"GET", "/killick/outputs/a%2Fb", classOwn, 400, ""},
		{"POST", "/killick/chat/completions", classOwn, 404, ""},
		{"POST", "/killick/outputs/x/chat/completions", classOwn, 404, ""},
	} {
		class, answer := routing(t, p, test.method, test.target)
		if class != test.class || answer.Code != test.status ||
			answer.Header().Get("Allow") != test.allow {
			t.Errorf("%s %s: %s, %d, Allow %q; want %s, %d, %q", test.method, test.target, class,
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
		want, found, rest := classPass, false, ""
		for suffix, of := range map[string]class{"/chat/completions": classChat,
			"/v1/messages": classMessages, "/responses": classResponses} {
			if prefix, ok := strings.CutSuffix(target, suffix); ok {
				found, rest, want = true, prefix, of
			}
		}
		ended := want
		switch {
		case target == "/killick" || strings.HasPrefix(target, "/killick/"), target == "/healthz",
			target == "/readyz":
			want = classOwn
		case target == "/messages" && method == "POST":
			want = classMessages
		case !found || method != "POST" || strings.Count(rest, "/") > 16:
			want = classPass
		default:
			want = ended
		}
		if got != want {
			t.Errorf("%s %s: %s, want %s", method, target, got, want)
		}
	})
}
