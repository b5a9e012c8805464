package proxy

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/compaction"
)

// What is not compacted reaches the upstream byte for byte, and its reply the client, and is
// counted by what its path is for.
func TestOtherPathsPassAndAreCounted(t *testing.T) {
	const sent = `{ "model":"m", "input": "\u00e9", "messages" :[{"role":"user","content":"a"}],` +
		` "unknown":1e2 }`
	const reply = "{ \"unknown\" : 1.50, \"usage\":{\"input_tokens\":3,\"output_tokens\":4}}\n"
	up := &recorder{answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Anthropic-Ratelimit-Tokens-Remaining", "7")
		_, _ = io.WriteString(w, reply)
	}}
	r := newRig(t, up, compacting)
	for _, test := range []struct{ method, path, at, kind string }{
		{"POST", "/v1/messages/count_tokens?beta=true", "/base/messages/count_tokens?beta=true",
			"messages_count_tokens"},
		{"POST", "/v1/responses/compact", "/base/responses/compact", "responses_compact"},
		{"POST", "/v1/responses/input_tokens", "/base/responses/input_tokens",
			"responses_input_tokens"},
		{"GET", "/v1/responses/resp_1?include%5B%5D=x", "/base/responses/resp_1?include%5B%5D=x",
			"responses_stored"},
		{"POST", "/v1beta/tunedModels/g:generateContent",
			"/v1beta/tunedModels/g:generateContent", "gemini"},
		{"POST", "/v1beta/tunedModels/g:streamGenerateContent?alt=sse",
			"/v1beta/tunedModels/g:streamGenerateContent?alt=sse", "gemini"},
		{"GET", "/v1/responses/resp_1?stream=true&starting_after=3",
			"/base/responses/resp_1?stream=true&starting_after=3", "responses_stored"},
		{"POST", "/v1/responses/resp_1/cancel", "/base/responses/resp_1/cancel",
			"responses_stored"},
		{"POST", "/v1/conversations/conv_1/items", "/base/conversations/conv_1/items", "other"},
		{"POST", "/v1/messages/batches", "/base/messages/batches", "messages_batches"},
		{"POST", "/v1/batches", "/base/batches", "batches"},
		{"POST", "/v1beta/interactions", "/v1beta/interactions", "gemini_other"},
		{"POST", "/v1internal:loadCodeAssist", "/v1internal:loadCodeAssist", "other"},
		{"POST", "/v1internal:countTokens", "/v1internal:countTokens", "gemini_count_tokens"},
		{"POST", "/v1beta/models/g:batchGenerateContent",
			"/v1beta/models/g:batchGenerateContent", "gemini_other"},
		{"POST", "/api/generate", "/api/generate", "ollama_other"},
		{"GET", "/api/tags", "/api/tags", "ollama_other"},
		{"GET", "/api/chat", "/api/chat", "ollama"},
		{"POST", "/v1/completions", "/base/completions", "completions"},
		{"POST", "/model/a/converse-stream?X-Amz-Signature=0a",
			"/model/a/converse-stream?X-Amz-Signature=0a", "converse"},
		{"POST", "/model/a%3A0/invoke", "/model/a%3A0/invoke", "bedrock"},
		{"POST", "/model/a/invoke-with-response-stream", "/model/a/invoke-with-response-stream",
			"bedrock"},
		{"POST", "/model/a/converse?X-Amz-Signature=0a", "/model/a/converse?X-Amz-Signature=0a",
			"converse"},
		{"POST", "/v1/projects/p/publishers/mistralai/models/c@1:streamRawPredict",
			"/base/projects/p/publishers/mistralai/models/c@1:streamRawPredict", "vertex"},
		{"POST", "/v1/embeddings", "/base/embeddings", "embeddings"},
		{"GET", "/v1/models", "/base/models", "models"},
		{"GET", "/v1/models?limit=20", "/base/models?limit=20", "messages_other"},
		{"POST", "/v1/files", "/base/files", "messages_other"},
		{"GET", "/v1/skills", "/base/skills", "messages_other"},
		{"PUT", "/anything", "/anything", "other"},
	} {
		before := r.metric("killick_passed_through_total", `kind="`+test.kind+`"`)
		body := io.Reader(http.NoBody)
		if test.method != "GET" {
			body = strings.NewReader(sent)
		}
		version := ""
		if strings.HasPrefix(test.kind, "messages") {
			version = "2023-06-01"
		}
		a := r.do(r.request(test.method, test.path, body, "Anthropic-Version", version,
			"Anthropic-Beta", "a-2026-01-01,b-2026-02-02", "Anthropic-Beta", "c", "X-Api-Key", "k",
			"Content-Type", "application/json"))
		got := up.last()
		if got.RequestURI != test.at || got.Method != test.method ||
			test.method != "GET" && string(got.body) != sent {
			t.Errorf("%s %s: got %s %s %q", test.method, test.path, got.Method, got.RequestURI,
				got.body)
		}
		if got.Header.Get("Anthropic-Version") != version ||
			strings.Join(got.Header["Anthropic-Beta"], "|") != "a-2026-01-01,b-2026-02-02|c" ||
			got.Header.Get("X-Api-Key") != "k" || got.Header.Get("Authorization") != "" {
			t.Errorf("%s: header %v", test.path, got.Header)
		}
		if a.StatusCode != 200 || string(a.body) != reply ||
			a.Header.Get("Anthropic-Ratelimit-Tokens-Remaining") != "7" {
			t.Errorf("%s: answered %d %q", test.path, a.StatusCode, a.body)
		}
		r.eventually("the count of "+test.kind, func() bool {
			return r.metric("killick_passed_through_total", `kind="`+test.kind+`"`) == before+1
		})
	}
	for route, path := range map[string]string{
		"chat": "/v1/chat/completions", "messages": "/v1/messages?beta=true",
		"responses": "/responses",
	} {
		r.do(r.request("POST", path, strings.NewReader(threeTurns)))
		r.eventually("the request of "+route, func() bool {
			return r.metric("killick_requests_total", `route="`+route+`"`) == 1
		})
		if n := r.metric("killick_passed_through_total", `kind="`+route+`"`); n != 0 {
			t.Errorf("%v requests of %s count as passed through", n, route)
		}
	}
}

var formatStreams = map[string]struct {
	path   string
	events []string
	prompt float64 // of the usage that they state
	output float64
	cached float64
}{
	"messages": {"/v1/messages", []string{
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{" +
			"\"input_tokens\":2,\"cache_read_input_tokens\":30,\"cache_creation_input_tokens\":5," +
			"\"output_tokens\":1}}}\n\n",
		"event: ping\ndata: {\"type\": \"ping\"}\n\n",
		"event: of_tomorrow\ndata: {\"type\":\"of_tomorrow\",  \"x\":1.50}\n\n",
		": a comment\n\n",
		"event: message_delta\r\ndata: {\"type\":\"message_delta\",\"usage\":" +
			"{\"output_tokens\":9}}\r\n\r\n",
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
	}, 37, 9, 30},
	"responses": {"/v1/responses", []string{
		"event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0," +
			"\"response\":{\"usage\":null}}\n\n",
		"event: response.of_tomorrow\ndata: {\"type\":\"response.of_tomorrow\"}\n\n",
		"event: response.output_text.delta\ndata: {\"delta\":\"\\\"usage\\\"\"}\n\n",
		"event: response.incomplete\ndata: {\"type\":\"response.incomplete\",\"response\":{" +
			"\"usage\":{\"input_tokens\":37,\"input_tokens_details\":{\"cached_tokens\":30}," +
			"\"output_tokens\":9}}}\n\n",
	}, 37, 9, 30},
}

// Events of each format arrive one by one as they are written, and the usage is read.
func TestStreamsOfEachFormat(t *testing.T) {
	for name, test := range formatStreams {
		t.Run(name, func(t *testing.T) {
			next := make(chan struct{})
			r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for _, event := range test.events {
					_, _ = io.WriteString(w, event)
					_ = http.NewResponseController(w).Flush()
					select {
					case <-next:
					case <-r.Context().Done():
						return
					}
				}
			}), compacting)
			res, err := r.client.Do(r.request("POST", test.path, strings.NewReader("{}")))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			in := bufio.NewReader(res.Body)
			for _, event := range test.events {
				got := make([]byte, len(event))
				if _, err := io.ReadFull(in, got); err != nil || string(got) != event {
					t.Fatalf("got %q, %v; want %q", got, err, event)
				}
				next <- struct{}{}
			}
			if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
				t.Errorf("then %q, %v", rest, err)
			}
			r.logLine(0)
			for kind, want := range map[string]float64{"prompt": test.prompt,
				"cached": test.cached, "completion": test.output} {
				if got := r.metric("killick_upstream_tokens_total", `format="`+name+`"`,
					`kind="`+kind+`"`); got != want {
					t.Errorf("%s tokens: %v, want %v", kind, got, want)
				}
			}
		})
	}
}

// Requests that may not be changed are counted by why.
func TestWhatIsLeftAloneIsCounted(t *testing.T) {
	for reason, why := range map[string]compaction.Reason{
		"server_state": compaction.ReasonServerState, "managed": compaction.ReasonManaged,
	} {
		r := newRig(t, new(recorder), func(o *Options) {
			o.Compactor = fake{compact: func(_ context.Context, req Request) compaction.Outcome {
				return compaction.Outcome{Body: req.Chat.Raw(), Reason: why}
			}}
		})
		r.do(r.request("POST", "/v1/messages", strings.NewReader(threeTurns)))
		r.eventually(reason, func() bool {
			return r.metric("killick_left_alone_total", `reason="`+reason+`"`) == 1
		})
	}
}
