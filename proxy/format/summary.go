package format

import (
	"net/http"
	"slices"
	"strings"
)

// The header in which requests of the Messages API name betas, and the beta of summaries that the
// API writes: both the request for one and each later request that contains one must name it
// (https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand).
const (
	betaHeader  = "Anthropic-Beta"
	betaSummary = "compact-2026-09-04"
)

// AllowSummary adds the headers that a request needs if it asks for a summary by the API, or
// contains one, if the format has such headers. Existing values are kept.
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

// WithdrawSummary restores what AllowSummary changed from the client's headers.
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
