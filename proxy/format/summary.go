package format

import (
	"net/http"
	"slices"
	"strings"
)

// The header by which requests of the Messages API name what they use of its betas, and the beta
// of summaries that the API writes: both the request for one and each later request that holds one
// must name it (https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand).
const (
	betaHeader  = "Anthropic-Beta"
	betaSummary = "compact-2026-09-04"
)

// AllowSummary says in the headers of a request that it asks for a summary that the API writes, or
// holds one, where the format has something to say for that. What the headers say already stays.
func (f Format) AllowSummary(h http.Header) {
	if f != Messages {
		return
	}
	for _, value := range h[betaHeader] {
		for name := range strings.SplitSeq(value, ",") {
			if strings.TrimSpace(name) == betaSummary {
				return
			}
		}
	}
	named := slices.Clone(h[betaHeader])
	if last := len(named) - 1; last >= 0 {
		named[last] += "," + betaSummary
	} else {
		named = []string{betaSummary}
	}
	h[betaHeader] = named
}

// WithdrawSummary makes what AllowSummary changes what it is in the headers that the client sent.
func (f Format) WithdrawSummary(h, client http.Header) {
	if f != Messages {
		return
	}
	if values, ok := client[betaHeader]; ok {
		h[betaHeader] = values
	} else {
		h.Del(betaHeader)
	}
}
