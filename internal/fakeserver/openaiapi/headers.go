package openaiapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// SetHeaders sets the headers of the answer to the nth request, whose prompt has about this many
// tokens.
func SetHeaders(h http.Header, n, tokens int) {
	h.Set("X-Request-Id", fmt.Sprintf("req_%016x", n))
	h.Set("Openai-Organization", "scripted")
	h.Set("Openai-Processing-Ms", "7")
	h.Set("Openai-Version", "2020-10-01")
	h.Set("X-Ratelimit-Limit-Requests", "10000")
	h.Set("X-Ratelimit-Limit-Tokens", "30000000")
	h.Set("X-Ratelimit-Remaining-Requests", strconv.Itoa(max(0, 10000-n)))
	h.Set("X-Ratelimit-Remaining-Tokens", strconv.Itoa(max(0, 30000000-tokens)))
	h.Set("X-Ratelimit-Reset-Requests", "6ms")
	h.Set("X-Ratelimit-Reset-Tokens", "2ms")
}

// Credential returns the key that a request carries, "" if none.
func Credential(r *http.Request) string {
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return key
	}
	return r.Header.Get("Api-Key")
}
