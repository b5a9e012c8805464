package fakegemini

import (
	"encoding/json"
	"net/http"
	"strings"

	"killick/internal/fakeserver"
)

// assistRoot is how paths of Code Assist begin. An operation follows.
const assistRoot = "/v1internal:"

// assists reports whether a path is one of Code Assist's.
func assists(path string) bool { return strings.HasPrefix(path, assistRoot) }

// unwrapped returns the request within the body of one for Code Assist, and the message of a
// refusal, "" if there is none. Source: converter.ts of Gemini CLI 0.61.0.
func unwrapped(body []byte) (request []byte, refused string) {
	var b struct {
		Model   string
		Request json.RawMessage
	}
	switch err := json.Unmarshal(body, &b); {
	case err != nil:
		return nil, "Invalid JSON payload received."
	case b.Model == "" || len(b.Request) == 0:
		return nil, "Request contains an invalid argument."
	}
	return b.Request, ""
}

// aboutUsers answers the operations of Code Assist that hold no conversation, as far as Gemini CLI
// (0.61.0) reads the answers. Other operations have an empty answer.
func aboutUsers(x *fakeserver.Exchange) {
	answer := map[string]any{}
	switch strings.TrimPrefix(x.Request.URL.Path, assistRoot) {
	case "loadCodeAssist":
		answer["currentTier"] = map[string]any{"id": "standard-tier", "name": "Scripted"}
		answer["cloudaicompanionProject"] = "shop"
	case "retrieveUserQuota": // the client takes no other model of Gemini 3 than those named here
		answer["buckets"] = []any{map[string]any{"modelId": "gemini-3.1-pro-preview",
			"remainingFraction": 1}}
	case "countTokens":
		body, _ := x.DecodedBody() // what cannot be read has no tokens
		answer["totalTokens"] = len(body) / 4
	}
	x.Answer(http.StatusOK, fakeserver.EncodeJSON(answer))
}
