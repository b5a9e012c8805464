// Package claude knows what the models of Anthropic check and write, by their names and by what a
// request asks of them. It reads no conversation.
package claude

import (
	"strconv"
	"strings"
	"unicode"

	"killick/rawjson"
)

// version is the version of a model, as in Opus 5.5.
type version struct{ major, minor int }

func (v version) before(other version) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

// checksSince has, for each family of Claude, the first version that checks whether the messages
// before a thinking block are those that it was made after. Sources:
// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking and
// https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5. Later
// models are announced to check it as well.
var checksSince = map[string]version{
	"fable":  {5, 1},
	"mythos": {5, 1},
	"opus":   {5, 5},
	"sonnet": {5, 5},
	"haiku":  {5, 5},
}

// Model is one of Anthropic's models.
type Model struct {
	family   string // "" if it is not known
	version  version
	numbered bool // the name has a version
}

// Of reads the name of a model, as it is written by Anthropic, Bedrock, Vertex or gateways:
// claude-opus-5-5-20260901, us.anthropic.claude-opus-5-5-v1:0, claude-opus-5-5@20260901,
// anthropic/claude-opus-5.5, claude-3-5-haiku-latest. ok is false if it is not one of Anthropic's.
func Of(model string) (c Model, ok bool) {
	_, name, ok := strings.Cut(strings.ToLower(model), "claude")
	if !ok {
		return Model{}, false
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

// ChecksPrefixes reports whether the model refuses thinking after changed messages. That is assumed
// of an unknown model, unless byHand is set: its thinking is enabled by hand, which only older
// models accept.
func (c Model) ChecksPrefixes(byHand bool) bool {
	since, known := checksSince[c.family]
	if known && c.numbered {
		return !c.version.before(since)
	}
	if c.numbered && c.version.before(version{5, 1}) {
		return false
	}
	return !byHand
}

// summarizesSince has, for each family that writes summaries on request, the first version that
// does. Source: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand
// (supported models), which names no Haiku. Later versions are assumed to do it as well.
var summarizesSince = map[string]version{
	"fable":  {5, 0},
	"mythos": {5, 0},
	"opus":   {4, 6},
	"sonnet": {4, 6},
}

// Summarizes reports whether the model writes summaries on request.
func (c Model) Summarizes() bool {
	since, known := summarizesSince[c.family]
	return known && c.numbered && !c.version.before(since)
}

// Thinks returns DropSigned and StartSigned, as in the Rules of package view, for a request to the
// model with these settings of thinking.
func (c Model) Thinks(settings rawjson.Value) (dropSigned, startSigned bool) {
	byHand := settings.Get("type").Is("enabled")
	binding := settings.Get("block_binding").Get("prefix_mismatch_behavior")
	checks := c.ChecksPrefixes(byHand)
	return checks && !binding.Is("drop_block"), byHand && !checks
}

// EditsContext reports whether a context_management of Anthropic's changes anything. With each
// request, Claude Code sends one that keeps all thinking, which has no effect (2.0.36 and later:
// issue 1468 of decolua/9router, 14135 of anthropics/claude-code).
func EditsContext(management rawjson.Value) bool {
	if management.Kind() <= rawjson.Null {
		return false
	}
	for key, v := range management.Members() {
		if v.Kind() <= rawjson.Null {
			continue
		}
		if !key.Is("edits") || v.Kind() != rawjson.Array {
			return true
		}
		for edit := range v.Elements() {
			keep := edit.Get("keep")
			if !strings.HasPrefix(edit.Get("type").Text(), "clear_thinking_") ||
				!keep.Is("all") && !keep.Get("type").Is("all") {
				return true
			}
		}
	}
	return management.Kind() != rawjson.Object
}
