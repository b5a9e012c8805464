package messages

import (
	"strconv"
	"strings"
	"unicode"
)

// version is that of a model, as in Opus 5.5.
type version struct{ major, minor int }

func (v version) before(other version) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

// checksSince are the families of Claude, with the first version that checks whether what is before
// a thinking block is what it was made behind. Sources:
// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking and
// https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5. Later
// models are announced to do it as well.
var checksSince = map[string]version{
	"fable":  {5, 1},
	"mythos": {5, 1},
	"opus":   {5, 5},
	"sonnet": {5, 5},
	"haiku":  {5, 5},
}

// claude is a model of Anthropic's.
type claude struct {
	family   string // "" if it is not known
	version  version
	numbered bool // the version is given
}

// claudeOf reads the name of a model, as it is written by Anthropic, Bedrock, Vertex or gateways:
// claude-opus-5-5-20260901, us.anthropic.claude-opus-5-5-v1:0, claude-opus-5-5@20260901,
// anthropic/claude-opus-5.5, claude-3-5-haiku-latest. ok is false if it is none of Anthropic's.
func claudeOf(model string) (c claude, ok bool) {
	_, name, ok := strings.Cut(strings.ToLower(model), "claude")
	if !ok {
		return claude{}, false
	}
	words := strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	numbers := 0
	for _, word := range words {
		if _, known := checksSince[word]; known {
			c.family = word
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || len(word) > 2 { // a platform's version, a date
			if numbers > 0 {
				break
			}
			continue
		}
		switch numbers++; numbers {
		case 1:
			c.version.major, c.numbered = n, true
		case 2:
			c.version.minor = n
		}
	}
	return c, true
}

// checksPrefixes reports whether the model refuses thinking behind what has changed. Of a model
// that nobody knows it is assumed, unless it takes thinking that is enabled by hand, as older
// models do.
func (c claude) checksPrefixes(byHand bool) bool {
	since, known := checksSince[c.family]
	if known && c.numbered {
		return !c.version.before(since)
	}
	if c.numbered && c.version.before(version{5, 1}) {
		return false
	}
	return !byHand
}

// summarizesSince are the families whose models write summaries on request, with the first version
// that does. Source: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand
// (supported models), which names no Haiku. Later versions are taken to do it as well.
var summarizesSince = map[string]version{
	"fable":  {5, 0},
	"mythos": {5, 0},
	"opus":   {4, 6},
	"sonnet": {4, 6},
}

// summarizes reports whether the model writes summaries on request.
func (c claude) summarizes() bool {
	since, known := summarizesSince[c.family]
	return known && c.numbered && !c.version.before(since)
}
