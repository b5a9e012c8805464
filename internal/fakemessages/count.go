package fakemessages

import (
	"strings"
	"unicode"

	"killick/internal/fakemessages/claude"
	"killick/internal/fakemessages/jsontree"
	"killick/internal/fakemessages/request"
	"killick/internal/fakeserver"
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

// textTokens counts a text for the model of a request.
func (s *Server) textTokens(r *Request, text string) int {
	if text == "" {
		return 0
	}
	n := (len(text) + bytesPerToken - 1) / bytesPerToken
	if s.cfg.Text != nil {
		n = s.cfg.Text(text)
	}
	if s.cfg.Factor == nil {
		return n
	}
	return int(float64(n)*s.cfg.Factor(r.Rules, KindOf(text)) + 0.5)
}

// blockTokens counts a block as the model reads it. Text is counted string by string, so that the
// count of a prefix does not depend on what follows.
func (s *Server) blockTokens(r *Request, b *request.Block) int {
	switch {
	case b.Dropped:
		return 0
	case b.Type == "image" || b.Type == "document" && !isPlain(b.Fields):
		return tokensOfBlock + tokensOfImage
	case b.Type == request.TypeThinking:
		return tokensOfBlock + s.textTokens(r, b.Text)
	case b.Type == request.TypeRedacted:
		return tokensOfBlock
	case b.Type == request.TypeText:
		return tokensOfBlock + s.textTokens(r, b.Text)
	case b.Type == request.TypeCompaction:
		return tokensOfBlock + s.textTokens(r, b.Fields.Text("content"))
	}
	n := tokensOfBlock
	for _, m := range b.Fields {
		if m.Name == "type" || m.Name == "cache_control" {
			continue
		}
		n += s.valueTokens(r, m.Value)
	}
	return n
}

// valueTokens counts the text in a value; an object that is not a block is one text of JSON.
func (s *Server) valueTokens(r *Request, v any) int {
	switch v := v.(type) {
	case string:
		return s.textTokens(r, v)
	case []any:
		n := 0
		for _, e := range v {
			n += s.valueTokens(r, e)
		}
		return n
	case jsontree.Object:
		switch v.Text("type") {
		case "image":
			return tokensOfImage
		case request.TypeText:
			return s.textTokens(r, v.Text("text"))
		}
		return s.textTokens(r, string(fakeserver.EncodeJSON(plain(v))))
	case nil:
		return 0
	}
	return 1
}

// isPlain reports whether a document is text.
func isPlain(fields jsontree.Object) bool {
	return fields.Object("source").Text("type") == request.TypeText
}

// plain is v as encoding/json writes it.
func plain(v any) any {
	switch v := v.(type) {
	case jsontree.Object:
		m := make(map[string]any, len(v))
		for _, f := range v {
			m[f.Name] = plain(f.Value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plain(e)
		}
		return list
	}
	return v
}
