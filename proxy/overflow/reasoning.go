package overflow

import (
	"slices"
	"strings"
)

// reasoning returns the provider if the error rejects the reasoning in a request, "" otherwise.
//
// Sources: OpenAI's code invalid_encrypted_content; Anthropic, "Preserved thinking" (prefix
// checks), whose message begins with the place of the block, and without backticks over Bedrock
// (linanwx/nagobot#21).
func (e *parsedError) reasoning() (provider string) {
	if slices.Contains(e.codes, "invalid_encrypted_content") {
		return "openai"
	}
	for _, text := range e.texts {
		head := text[:min(len(text), maxText)]
		head = strings.ReplaceAll(head, "`", "")
		if strings.Contains(head, "Invalid signature in thinking block") {
			return "anthropic"
		}
	}
	return ""
}
