package compactor

import (
	"strings"
	"unicode/utf8"
)

// oneLine returns s on one line, white space folded, cut at a character to at
// most n bytes. Entries of a record are one line each, so that nothing quoted in
// one can pass for a heading or an entry of its own.
func oneLine(s string, n int) string {
	s = s[:min(len(s), 4*n)]
	var b strings.Builder
	for _, word := range strings.Fields(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		if b.Len() > n {
			break
		}
	}
	return cut(b.String(), n)
}

// cut shortens s to at most n bytes, at a character, with an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const ellipsis = "…"
	end := max(0, n-len(ellipsis))
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}

// sentences calls yield with the sentences of text: split at line ends and
// behind full stops, list marks and quote marks removed, code blocks left out.
func sentences(text string, yield func(string) bool) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || line == "" {
			continue
		}
		for line != "" {
			end := sentenceEnd(line)
			if s := trimMarks(line[:end]); s != "" && !yield(s) {
				return
			}
			line = strings.TrimSpace(line[end:])
		}
	}
}

// sentenceEnd returns where the first sentence of line ends: behind a stop that
// a space follows, or behind a full-width one.
func sentenceEnd(line string) int {
	for i, r := range line {
		switch r {
		case '.', '!', '?':
			if i+1 < len(line) && line[i+1] == ' ' && i >= 3 && !abbreviated(line[:i+1]) {
				return i + 1
			}
		case '。', '！', '？':
			return i + utf8.RuneLen(r)
		}
	}
	return len(line)
}

func abbreviated(s string) bool {
	return strings.HasSuffix(s, "e.g.") || strings.HasSuffix(s, "i.e.") || strings.HasSuffix(s, "etc.") || strings.HasSuffix(s, "vs.")
}

// trimMarks removes what lists, headings, quotes and emphasis put around a
// sentence.
func trimMarks(s string) string {
	s = strings.TrimLeft(s, "#>*-+•✅❌☐ \t")
	for i := 0; i < len(s) && i < 3; i++ { // "1. ", "12) "
		if s[i] >= '0' && s[i] <= '9' {
			continue
		}
		if i > 0 && (s[i] == '.' || s[i] == ')') && i+1 < len(s) && s[i+1] == ' ' {
			s = s[i+2:]
		}
		break
	}
	return strings.TrimSpace(strings.Trim(s, "*_ "))
}

// hasWord tells whether low, a text in lower case, holds the words as words: no
// letter stands right before or behind them.
func hasWord(low, words string) bool {
	for from := 0; ; {
		i := strings.Index(low[from:], words)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(words)
		if (i == 0 || !isLetter(low[i-1])) && (end == len(low) || !isLetter(low[end])) {
			return true
		}
		from = i + 1
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf }

func hasAnyWord(low string, of []string) bool {
	for _, words := range of {
		if hasWord(low, words) {
			return true
		}
	}
	return false
}
