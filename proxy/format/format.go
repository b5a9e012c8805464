// Package format knows the wire formats that pass through the proxy as far as HTTP needs it:
// which format a path has, how an error looks in it, and where a reply states its usage. It
// never reads a conversation, and never changes a byte of a request or a reply.
package format

// Format is a wire format of requests to models.
type Format string

// The formats. Every path that is in none of the first three is Other.
const (
	Chat      Format = "chat"      // OpenAI's chat completions
	Messages  Format = "messages"  // Anthropic's messages
	Responses Format = "responses" // OpenAI's responses
	Other     Format = "other"
)

// All are the formats, in the order in which messages name them.
var All = []Format{Chat, Messages, Responses, Other}

// Format returns the format of paths of a kind. What belongs to a format but is no
// conversation, such as a count of tokens, has that format too: its errors look the same, and
// it goes to the same upstream.
func (k Kind) Format() Format {
	switch k {
	case KindChat, KindChatStored:
		return Chat
	case KindMessages, KindMessagesCount, KindMessagesBatches:
		return Messages
	case KindResponses, KindResponsesCompact, KindResponsesCount, KindResponsesStored,
		KindResponsesWebSocket:
		return Responses
	}
	return Other
}
