package tokenizer

import "killick/rawjson"

// What encrypted content takes beside the text in it, and how many bytes of the text one token is.
// Nobody publishes how these relate. Source: openai/codex, core/src/context_manager/history.rs,
// which estimates its own context so.
const (
	sealBytes     = 650
	bytesOfSealed = 4
)

// sealedTokens estimates the tokens of a text that is known only encrypted, in base64.
func sealedTokens(v rawjson.Value) int {
	return max(len(v.StringBody())*3/4-sealBytes, 0) / bytesOfSealed
}
