package format

import "testing"

func TestKindsOfPaths(t *testing.T) {
	for _, test := range []struct {
		path string
		want Kind
	}{
		{"/v1/chat/completions", KindChat},
		{"/openai/deployments/gpt/chat/completions", KindChat},
		{"/v1/chat/completions/chatcmpl_1/messages", KindChatStored},
		{"/v1/messages", KindMessages},
		{"/messages", KindMessages},
		{"/anthropic/v1/messages", KindMessages},
		{"/v1/messages/count_tokens", KindMessagesCount},
		{"/v1/messages/batches/msgbatch_1/results", KindMessagesBatches},
		{"/v1/messages/other", KindOther},
		{"/v1/messagesX", KindOther},
		{"/v1/threads/thread_1/messages", KindThreads},
		{"/v1/responses", KindResponses},
		{"/responses", KindResponses},
		{"/openai/responses", KindResponses},
		{"/backend-api/codex/responses", KindResponses},
		{"/v1/responses/compact", KindResponsesCompact},
		{"/v1/responses/input_tokens", KindResponsesCount},
		{"/v1/responses/resp_1/input_items", KindResponsesStored},
		{"/v1/responses/", KindOther},
		{"/v1beta/models/gemini-3-pro:generateContent", KindGemini},
		{"/v1beta/models/gemini-3-pro%3AstreamGenerateContent", KindGemini},
		{"/v1beta/models/gemini-3-pro:countTokens", KindGeminiCount},
		{"/v1internal:generateContent", KindAssist},
		{"/gateway/v1internal%3AstreamGenerateContent", KindAssist},
		{"/v1internal:countTokens", KindGeminiCount},
		{"/v1internal:loadCodeAssist", KindOther},
		{"/v1beta/models/e:embedContent", KindGeminiOther},
		{"/v1beta/models/imagen-4:predict", KindGeminiOther},
		{"/v1beta/models", KindGeminiOther},
		{"/upload/v1beta/files", KindGeminiOther},
		{"/v1alpha/cachedContents/c", KindGeminiOther},
		{"/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
			KindGeminiOther},
		{"/v1beta/openai/models", KindOther},
		{"/v1beta/openai/chat/completions", KindChat},
		{"/v1beta1/projects/p", KindOther},
		{"/v1/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict", KindVertex},
		{"/v1/projects/p/locations/l/publishers/anthropic/models/c@1:streamRawPredict", KindVertex},
		{"/v1/projects/p/locations/l/publishers/google/models/g:generateContent", KindGemini},
		{"/model/anthropic.claude-x%3A0/invoke", KindBedrock},
		{"/model/a/invoke-with-response-stream", KindBedrock},
		{"/model/a/converse", KindConverse},
		{"/model/a/converse-stream", KindConverse},
		{"/model/a/count-tokens", KindOther},
		{"/api/chat", KindOllama},
		{"/ollama/api/chat", KindOllama},
		{"/api/chat/completions", KindChat},
		{"/api/generate", KindOllamaOther},
		{"/api/tags", KindOllamaOther},
		{"/api/embeddings", KindEmbeddings},
		{"/chat", KindOther},
		{"/api/chats", KindOther},
		{"/v1/embeddings", KindEmbeddings},
		{"/openai/deployments/e/embeddings", KindEmbeddings},
		{"/v1/completions", KindCompletions},
		{"/v1/models/a%2Fb", KindModels},
		{"/models", KindModels},
		{"/v1/realtime", KindRealtime},
		{"/v1/audio/speech", KindAudio},
		{"/", KindOther},
		{"", KindOther},
		{"*", KindOther},
		{"/v1", KindOther},
	} {
		if got := KindOf(test.path); got != test.want {
			t.Errorf("%s: %s, want %s", test.path, got, test.want)
		}
	}
}

func TestFormatsOfPaths(t *testing.T) {
	for path, want := range map[string]Format{
		"/v1/chat/completions": Chat, "/v1/messages": Messages, "/v1/responses/resp_1": Responses,
		"/v1/messages/count_tokens": Messages, "/v1/responses/compact": Responses,
		"/v1/embeddings": Other, "/model/a/invoke": Other,
		"/api/chat": Ollama, "/api/show": Ollama,
		"/v1internal:generateContent": Gemini, "/v1internal:loadCodeAssist": Other,
		"/v1beta/models/a:generateContent": Gemini, "/v1beta/files": Gemini,
		"/v1beta/models/a:countTokens":                                          Gemini,
		"/v1/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict": Other,
	} {
		if got := KindOf(path).Format(); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestModelsOfPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/v1beta/models/gemini-3-pro:generateContent":               "gemini-3-pro",
		"/v1beta/models/gemini-3-pro%3AgenerateContent":             "gemini-3-pro",
		"/model/a%2Fb/invoke":                                       "a%2Fb",
		"/openai/deployments/gpt-x/chat/completions":                "gpt-x",
		"/v1/projects/p/publishers/anthropic/models/c@1:rawPredict": "c@1",
		"/v1/models/gpt-5":                                          "gpt-5",
		"/v1/models/ft:gpt-4o:org::id":                              "ft:gpt-4o:org::id",
		"/v1/models/ft%3Agpt-4o":                                    "ft%3Agpt-4o",
		"/v1beta/models/veo-3:predictLongRunning":                   "veo-3",
		"/v1/chat/completions":                                      "",
		"/v1/models":                                                "",
	} {
		if got := PathModel(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
