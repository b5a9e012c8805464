package format

import (
	stdpath "path"
	"strings"
)

// Kind is the kind of a path: a metric label, and so one of few.
type Kind string

// The kinds of paths. Those of the first group hold conversations.
const (
	KindChat               Kind = "chat"
	KindMessages           Kind = "messages"
	KindResponses          Kind = "responses"
	KindResponsesWebSocket Kind = "responses_websocket" // an upgrade of the same path
	KindGemini             Kind = "gemini"              // :generateContent, on Vertex AI too
	KindAssist             Kind = "code_assist"         // the same of Code Assist, after a login
	KindBedrock            Kind = "bedrock"             // /model/ID/invoke
	KindConverse           Kind = "converse"            // /model/ID/converse, /converse-stream
	KindVertex             Kind = "vertex"              // :rawPredict, :streamRawPredict
	KindOllama             Kind = "ollama"              // /api/chat
	KindCompletions        Kind = "completions"         // without messages

	KindChatStored       Kind = "chat_stored" // stored at the upstream, by its id
	KindMessagesCount    Kind = "messages_count_tokens"
	KindMessagesBatches  Kind = "messages_batches"
	KindMessagesOther    Kind = "messages_other" // Anthropic's models, files and others
	KindResponsesCompact Kind = "responses_compact"
	KindResponsesCount   Kind = "responses_input_tokens"
	KindResponsesStored  Kind = "responses_stored" // stored at the upstream, by its id
	KindGeminiCount      Kind = "gemini_count_tokens"
	KindGeminiOther      Kind = "gemini_other" // Google's models, files, embeddings and others
	KindOllamaOther      Kind = "ollama_other" // generating without messages, and models
	KindEmbeddings       Kind = "embeddings"
	KindModels           Kind = "models"
	KindFiles            Kind = "files"
	KindImages           Kind = "images"
	KindAudio            Kind = "audio"
	KindRealtime         Kind = "realtime"
	KindBatches          Kind = "batches"
	KindThreads          Kind = "threads" // of OpenAI's assistants
	KindOther            Kind = "other"
)

// KindOf returns the kind of a path, as sent, without its query.
func KindOf(path string) Kind {
	for _, of := range []func(string) Kind{
		chatKind, messagesKind, responsesKind, modelKind, ollamaKind, googleKind,
	} {
		if k := of(path); k != "" {
			return k
		}
	}
	return resourceKind(path)
}

// chatKind: the chat path may have any prefix.
func chatKind(path string) Kind {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return KindChat
	case strings.Contains(path, "/chat/completions/"):
		return KindChatStored
	}
	return ""
}

// messagesKind: without /v1 before it, /messages may be a thread of OpenAI's assistants.
func messagesKind(path string) Kind {
	path, ok := under(path, "/v1/messages")
	if !ok {
		return ""
	}
	switch {
	case path == "":
		return KindMessages
	case path == "/count_tokens":
		return KindMessagesCount
	case path == "/batches" || strings.HasPrefix(path, "/batches/"):
		return KindMessagesBatches
	}
	return ""
}

// under returns what follows part in a path that has it after any prefix, or at its beginning
// without /v1.
func under(path, part string) (rest string, ok bool) {
	bare := strings.TrimPrefix(part, "/v1")
	if rest, ok = strings.CutPrefix(path, bare); !ok {
		_, rest, ok = strings.Cut(path, part)
	}
	return rest, ok && (rest == "" || rest[0] == '/')
}

// responsesKind: the path may have any prefix, as Azure's /openai/responses.
func responsesKind(path string) Kind {
	_, rest, ok := strings.Cut(path, "/responses")
	switch {
	case !ok || strings.HasPrefix(path, "/v1/evals/"):
		return ""
	case rest == "":
		return KindResponses
	case rest == "/compact":
		return KindResponsesCompact
	case rest == "/input_tokens":
		return KindResponsesCount
	case strings.HasPrefix(rest, "/") && len(rest) > 1:
		return KindResponsesStored
	}
	return ""
}

// modelKind is for paths that name the model and the operation.
func modelKind(path string) Kind {
	last := path[strings.LastIndexByte(path, '/')+1:]
	if name, verb, ok := strings.Cut(decodedColon(last), ":"); ok {
		switch k := verbs[verb]; {
		case k == KindGemini && name == "v1internal":
			return KindAssist
		case k != "":
			return k
		}
	}
	if strings.Contains(path, "/model/") {
		switch last {
		case "invoke", "invoke-with-response-stream":
			return KindBedrock
		case "converse", "converse-stream":
			return KindConverse
		}
	}
	return ""
}

// verbs are the operations that Google's paths name after a model and a colon. Sources:
// https://ai.google.dev/api/all-methods and the methods of publishers.models of Vertex AI.
var verbs = map[string]Kind{
	"generateContent": KindGemini, "streamGenerateContent": KindGemini,
	"countTokens": KindGeminiCount, "rawPredict": KindVertex, "streamRawPredict": KindVertex,
	"embedContent": KindGeminiOther, "batchEmbedContents": KindGeminiOther,
	"asyncBatchEmbedContent": KindGeminiOther, "batchGenerateContent": KindGeminiOther,
	"computeTokens": KindGeminiOther, "fetchPredictOperation": KindGeminiOther,
	"generateAnswer": KindGeminiOther, "predict": KindGeminiOther,
	"predictLongRunning": KindGeminiOther, "serverStreamingPredict": KindGeminiOther,
}

var colons = strings.NewReplacer("%3A", ":", "%3a", ":")

func decodedColon(s string) string { return colons.Replace(s) }

// ollamaKind: the paths are under any prefix, such as that of Open WebUI. Source: docs/api.md of
// ollama/ollama.
func ollamaKind(path string) Kind {
	folder, last := stdpath.Split(path)
	if !strings.HasSuffix(folder, "/api/") {
		return ""
	}
	switch last {
	case "chat":
		return KindOllama
	case "generate", "embed", "tags", "ps", "show", "version", "create", "copy", "delete", "pull",
		"push":
		return KindOllamaOther
	}
	return ""
}

// googleKind is for paths of Google's API that name no operation on a model: versions that no other
// API has, and the sockets of the Live API. Under /v1beta/openai, Google serves OpenAI's API.
// Sources: https://ai.google.dev/api/all-methods, /api/live and /gemini-api/docs/openai.
func googleKind(path string) Kind {
	if strings.HasPrefix(path, "/ws/google.ai.generativelanguage.") {
		return KindGeminiOther
	}
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/upload"), "/download")
	for _, version := range []string{"/v1beta/", "/v1alpha/"} {
		if rest, ok := strings.CutPrefix(path, version); ok && !strings.HasPrefix(rest, "openai/") {
			return KindGeminiOther
		}
	}
	return ""
}

// resources are the first segments after /v1, or of the path, and their kinds.
var resources = map[string]Kind{
	"completions": KindCompletions, "embeddings": KindEmbeddings, "models": KindModels,
	"files": KindFiles, "uploads": KindFiles, "images": KindImages, "audio": KindAudio,
	"realtime": KindRealtime, "batches": KindBatches, "threads": KindThreads,
	"assistants": KindThreads,
}

func resourceKind(path string) Kind {
	switch {
	case strings.HasSuffix(path, "/embeddings"):
		return KindEmbeddings
	case strings.HasSuffix(path, "/completions"): // of a deployment, as Azure has them
		return KindCompletions
	}
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/v1"), "/")
	first, _, _ := strings.Cut(path, "/")
	if k, ok := resources[first]; ok {
		return k
	}
	return KindOther
}

// PathModel returns the model that a path names, still encoded as sent, "" for none.
func PathModel(path string) string {
	for _, before := range []string{"/model/", "/models/", "/deployments/"} {
		_, rest, ok := strings.Cut(path, before)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		if before == "/models/" {
			name = withoutVerb(name)
		}
		return name
	}
	return ""
}

// withoutVerb returns the model's name from the last segment of a path, without the operation of
// Google's paths. Other names may contain colons: ft:gpt-4o:org::id.
func withoutVerb(segment string) string {
	plain := decodedColon(segment)
	if at := strings.LastIndexByte(plain, ':'); at >= 0 && verbs[plain[at+1:]] != "" {
		return plain[:at]
	}
	return segment
}
