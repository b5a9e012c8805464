package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexeme is a piece of text before its meaning is known.
type lexeme struct {
	kind   lexKind
	text   string
	quoted bool // stood between backticks
	start  int  // byte offset in the source
}

type lexKind uint8

const (
	lexChunk    lexKind = iota // a run of letters, digits and the marks that join them
	lexRun                     // a run of a script without blanks between words
	lexSymbol                  // an emoji or another sign that carries meaning
	lexComma                   // a weak break
	lexClause                  // a strong break inside a sentence
	lexSentence                // the end of a sentence
	lexLine                    // the end of a line
)

// lexer cuts text into lexemes, left to right, in one pass.
type lexer struct {
	text  string
	pos   int
	ticks bool
}

// joins reports whether r may stand inside a chunk.
func joins(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(`_-./\:@#%+~$'&`, r)
	}
	return unicode.IsLetter(r) && !unspaced(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '’' ||
		r == '€' || r == '£' || r == '\u2011' || r == '\u00ad' || 0x200b <= r && r <= 0x200d || 0xFF10 <= r && r <= 0xFF5A && r != '：' && r != '；' && r != '？' && r != '，'
}

// next returns the next lexeme; ok is false at the end.
func (l *lexer) next() (lx lexeme, ok bool) {
	for l.pos < len(l.text) {
		start := l.pos
		r, size := utf8.DecodeRuneInString(l.text[start:])
		lx := lexeme{start: start, quoted: l.ticks}
		switch {
		case r == '\n':
			l.pos += size
			l.ticks = false
			lx.kind = lexLine
			return lx, true
		case r == '`':
			l.pos += size
			l.ticks = !l.ticks
		case r == '-' && l.alone(start, size), r == '–', r == '—', r == '(', r == ')', r == '；', r == '：', r == '，', r == ';', r == '→', r == '•':
			l.pos += size
			lx.kind, lx.text = lexClause, l.text[start:l.pos]
			return lx, true
		case r == ',', r == '、', r == '،':
			l.pos += size
			lx.kind = lexComma
			return lx, true
		case r == '。', r == '！', r == '？', r == '।', (r == '!' || r == '?') && l.ends(start+size):
			l.pos += size
			lx.kind = lexSentence
			return lx, true
		case joins(r):
			if lx, ok := l.chunk(lx); ok {
				return lx, true
			}
		case unspaced(r):
			l.pos = l.while(start, unspaced)
			lx.kind, lx.text = lexRun, l.text[start:l.pos]
			return lx, true
		case unicode.Is(unicode.So, r), unicode.Is(unicode.Sm, r) && r >= utf8.RuneSelf:
			l.pos += size
			lx.kind, lx.text = lexSymbol, l.text[start:l.pos]
			return lx, true
		default:
			l.pos += size
		}
	}
	return lexeme{}, false
}

// alone reports whether the mark at start has blanks around it.
func (l *lexer) alone(start, size int) bool {
	before := start == 0 || l.text[start-1] == ' ' || l.text[start-1] == '\n'
	return before && start+size < len(l.text) && l.text[start+size] == ' '
}

// ends reports whether a sentence may end before pos.
func (l *lexer) ends(pos int) bool {
	return pos >= len(l.text) || strings.IndexByte(" \n\t\r\"')*_`", l.text[pos]) >= 0
}

func (l *lexer) while(pos int, in func(rune) bool) int {
	for pos < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[pos:])
		if !in(r) {
			break
		}
		pos += size
	}
	return pos
}

// chunk reads the run that starts at l.pos and leaves trailing punctuation behind as breaks of its own. ok is false if
// there was nothing but a quotation mark.
func (l *lexer) chunk(lx lexeme) (_ lexeme, ok bool) {
	start := l.pos
	if end, ok := l.link(start); ok {
		l.pos = end
		lx.kind, lx.text = lexChunk, l.text[start:end]
		return lx, true
	}
	end := l.while(start, joins)
	for end < len(l.text)-1 && l.text[end] == ',' && isDigit(l.text[end-1]) && l.groups(end) { // 1,000
		end = l.while(end+1, joins)
	}
	text := l.text[start:end]
	switch trimmed := strings.TrimRight(text, `.:'-&`); {
	case trimmed != "" && len(trimmed) < len(text):
		end = start + len(trimmed)
		text = trimmed
	case trimmed == "": // only marks: ":", "...", "--"
		l.pos = end
		lx.kind, lx.text = lexClause, text
		if strings.Contains(text, ".") {
			lx.kind = lexSentence
		}
		return lx, strings.Trim(text, "'&") != ""
	}
	l.pos = end
	lx.kind, lx.text = lexChunk, text
	if end < len(l.text) && l.text[end] == '.' && abbreviation(text) && !(text == "etc" && l.capital(end+1)) { // "e.g. this" goes on
		l.pos++
	}
	return lx, true
}

// capital reports whether the next word after pos begins with a capital letter.
func (l *lexer) capital(pos int) bool {
	for pos < len(l.text) && l.text[pos] == ' ' {
		pos++
	}
	return pos < len(l.text) && 'A' <= l.text[pos] && l.text[pos] <= 'Z'
}

// groups reports whether exactly three digits follow the comma at pos.
func (l *lexer) groups(pos int) bool {
	rest := l.text[pos+1:]
	if len(rest) < 3 || !isDigit(rest[0]) || !isDigit(rest[1]) || !isDigit(rest[2]) {
		return false
	}
	return len(rest) == 3 || !isDigit(rest[3])
}

// link returns the end of the URL that starts at pos.
func (l *lexer) link(pos int) (end int, ok bool) {
	head := l.text[pos:min(len(l.text), pos+24)]
	i := strings.Index(head, "://")
	if i < 2 || strings.ContainsFunc(head[:i], func(r rune) bool { return r >= utf8.RuneSelf || !isAlnum(byte(r)) && r != '+' && r != '-' }) {
		return 0, false
	}
	end = pos
	for end < len(l.text) && l.text[end] > ' ' && l.text[end] < utf8.RuneSelf && !strings.ContainsRune("\"'`<>()[]{}|,;", rune(l.text[end])) {
		end++
	}
	return pos + len(strings.TrimRight(l.text[pos:end], ".:!?*_")), true
}

func abbreviation(s string) bool {
	switch strings.ToLower(s) {
	case "e.g", "i.e", "etc", "vs", "cf", "approx", "z.b", "d.h", "p.ej", "dr", "mr", "mrs", "nr":
		return true
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
