// Package format has what the HTTP side needs to know of the wire formats: which format a path has,
// the shape of its errors, and where a reply reports its usage. It never reads a conversation, and
// never changes a byte of a request or a reply.
package format

// Format is a wire format of requests to models.
type Format string

// The formats. Every path that is in none of the others is Other.
const (
	Chat      Format = "chat"      // OpenAI's chat completions
	Messages  Format = "messages"  // Anthropic's messages
	Responses Format = "responses" // OpenAI's responses
	Gemini    Format = "gemini"    // Google's generateContent
	Converse  Format = "converse"  // Amazon Bedrock's Converse
	Ollama    Format = "ollama"    // Ollama's own
	Other     Format = "other"
)

// All are the formats, in the order in which messages name them.
var All = []Format{Chat, Messages, Responses, Gemini, Converse, Ollama, Other}

// Format returns the format of paths of a kind. Paths that are not conversations, such as token
// counts, have their API's format too: their errors have the same shape, and they go to the same
// upstream.
func (k Kind) Format() Format {
	switch k {
	case KindChat, KindChatStored:
		return Chat
	case KindMessages, KindMessagesCount, KindMessagesBatches, KindMessagesOther:
		return Messages
	case KindResponses, KindResponsesCompact, KindResponsesCount, KindResponsesStored,
		KindResponsesWebSocket:
		return Responses
	case KindGemini, KindAssist, KindGeminiCount, KindGeminiOther:
		return Gemini
	case KindConverse:
		return Converse
	case KindOllama, KindOllamaOther:
		return Ollama
	}
	return Other
}
