package overflow

import (
	"net/http"
	"slices"
	"strings"
)

// summary returns the provider if the error rejects a summary that the provider's API wrote, ""
// otherwise. A temporary error of the server is not a rejection.
//
// Source: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand (errors): a
// code that begins with compaction_, or a message that names the type of the block; gateways name
// the beta that they do not know.
func (e *parsedError) summary(status int) (provider string) {
	if status >= http.StatusInternalServerError {
		return ""
	}
	named := func(text string) bool {
		head := strings.ToLower(text[:min(len(text), maxText)])
		return strings.Contains(head, "compaction") || strings.Contains(head, "compact-2026-")
	}
	if slices.ContainsFunc(e.codes, named) || slices.ContainsFunc(e.texts, named) {
		return "anthropic"
	}
	return ""
}
