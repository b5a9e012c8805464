package tokenizer

import (
	"strconv"
	"strings"
)

// generationOf returns the tokenizer of a model, nil if nothing is known of it.
func generationOf(model string) *generation {
	name := baseModel(model)
	if version, ok := claudeVersion(name); ok {
		if version < 407 {
			return &olderClaude
		}
		return &newerClaude
	}
	for range maxPrefixes {
		for i := range generations {
			for _, prefix := range generations[i].models {
				if strings.HasPrefix(name, prefix) {
					return &generations[i]
				}
			}
		}
		prefix, rest, found := strings.Cut(name, ".")
		if !found || strings.ContainsAny(prefix, "0123456789") {
			break
		}
		name = rest
	}
	return nil
}

// maxPrefixes is one more than the dotted words that Bedrock puts before a name: a region, a
// vendor.
const maxPrefixes = 3

// claudeVersion reads the version from the name of a Claude model as Anthropic, Bedrock, Vertex
// and gateways spell it, 405 for claude-opus-4-5-20251101, anthropic.claude-opus-4-5 and
// claude-4.5-opus. A name without a version is taken for a new one.
func claudeVersion(name string) (version int, ok bool) {
	_, rest, ok := strings.Cut(name, "claude")
	if !ok {
		return 0, false
	}
	words := strings.FieldsFunc(rest, func(r rune) bool { return r == '-' || r == '.' || r == '@' })
	const newest = 9999
	for i, word := range words {
		major, ok := shortNumber(strings.TrimPrefix(word, "v"))
		if !ok {
			continue
		}
		minor := 0
		if i+1 < len(words) {
			minor, _ = shortNumber(words[i+1])
		}
		return 100*major + minor, true
	}
	return newest, true
}

// shortNumber reads a number of at most two digits: longer ones are dates.
func shortNumber(word string) (int, bool) {
	n, err := strconv.Atoi(word)
	if err != nil || len(word) > 2 || n < 0 {
		return 0, false
	}
	return n, true
}

// Published reports whether the encoding is the model's own, so that counts are exact.
func (m *tables) Published() bool { return m.bounds == &publishedBounds }

// Factor returns the expected number of the model's tokens for one of ours in a request with this
// body, before any report: 1 if the tokenizer is published, or if nothing is known about it. It
// depends only on the text of the body, in any wire format.
func (m *tables) Factor(body []byte) float64 {
	if m.generation == nil {
		return 1
	}
	factor := 0.0
	for k, share := range shares(body) {
		factor += share * m.generation.factors[k]
	}
	return factor
}
