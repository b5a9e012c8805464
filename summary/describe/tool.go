package describe

import (
	"strings"
	"unicode"

	"killick/summary/excerpt"
)

// maxToolName limits the name of a tool, in bytes. Providers accept 64 to 128 letters, digits,
// underscores and dashes.
const maxToolName = 128

// Tool returns the name of a tool as it may begin an entry: characters that are not allowed in
// tool names become underscores, so that no name imitates one of our labels. Many scripts spell
// vowels as marks.
func Tool(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 128 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			r == '_' || r == '-' || r == '.' || r == '/') ||
			r >= 128 && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return '_'
		}
		return r
	}, excerpt.Head(name, maxToolName))
	if name == "" {
		return "tool"
	}
	return name
}
