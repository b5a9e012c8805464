package fakemessages

import (
	"strings"
	"unicode"

	"killick/internal/fakemessages/claude"
)

// Tokens that stand for what is not text.
const (
	bytesPerToken  = 4
	tokensOfImage  = 1600 // about the most that one costs (…/build-with-claude/vision)
	tokensOfBlock  = 4    // what frames a block or a tool
	tokensOfPrompt = 8    // what is around the whole
)

// Kind is a kind of text, by what it is made of.
type Kind int

// The kinds of text that tokenizers differ on.
const (
	Prose Kind = iota
	Code
	JSON
	CJK
)

// KindOf returns what kind of text s is.
func KindOf(s string) Kind {
	head := strings.TrimLeft(s, " \t\r\n")
	if head != "" && (head[0] == '{' || head[0] == '[') {
		return JSON
	}
	runes, wide, signs := 0, 0, 0
	for _, c := range s {
		runes++
		switch {
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			wide++
		case strings.ContainsRune("{}()[];=<>_/\\\t", c):
			signs++
		}
	}
	switch {
	case 10*wide > 3*runes:
		return CJK
	case 20*signs > runes:
		return Code
	}
	return Prose
}

// Factors is a Config.Factor: how many tokens Anthropic's tokenizers count for one of o200k. For
// models before Opus 4.7, o200k counts 15 to 20% too few (wpnews.pro). The tokenizer since then
// counts more again, by kind of text: 1.45 for prose, 1.13 to 1.33 for code, 1.31 for JSON and 1.0
// for CJK, as measured (sol.ava.dev/writings/2026-04-17, synthorai.io).
func Factors(m claude.Model, kind Kind) float64 {
	const older = 1.2
	if !m.NewTokenizer {
		return older
	}
	return older * [...]float64{Prose: 1.45, Code: 1.23, JSON: 1.31, CJK: 1}[kind]
}
