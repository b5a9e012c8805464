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
