package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// CutEnd returns the largest offset of at most n, and more than from, at which a text may be cut
// after a whole word. If there is none, it is the largest beside punctuation, as in "key=value";
// else after what joins the parts of a path or a name, as in "src/main.go"; else the largest that
// divides no character and, if that is near, no number; it may then be up to three bytes less.
func CutEnd(s string, n, from int) int {
	for i := n; i > max(from, 0); i-- {
		if betweenWords(s, i) {
			return endOfPhrase(s, i, from)
		}
	}
	for i := n; i > max(from, 0); i-- {
		if !inName(s, i) {
			return i
		}
	}
	for i := n; i > max(from, 0); i-- {
		if (joint(s[i-1]) || s[i] == '\\') && !within(s, i) {
			return i
		}
	}
	for i := n; i > max(from, n-longestUnit, 0); i-- {
		if !within(s, i) {
			return i
		}
	}
	if whole := len(Head(s, n)); whole > n-utf8.UTFMax {
		return whole
	}
	return n // in bytes that are no characters
}

// CutStart is like [CutEnd], but returns the smallest offset of at least n, and less than to,
// before a whole word; it may then be up to three bytes more.
func CutStart(s string, n, to int) int {
	for i := n; i < min(to, len(s)); i++ {
		if betweenWords(s, i) {
			return startOfPhrase(s, i, to)
		}
	}
	for i := n; i < min(to, len(s)); i++ {
		if !inName(s, i) && joins(s[i]) {
			return i
		}
	}
	for i := n; i < min(to, len(s)); i++ {
		if joint(s[i]) && !within(s, i) {
			return i
		}
	}
	for i := n; i < min(to, n+longestUnit, len(s)); i++ {
		if !within(s, i) {
			return i
		}
	}
	if whole := len(s) - len(Tail(s, len(s)-n)); whole < n+utf8.UTFMax {
		return whole
	}
	return n
}

const (
	longestUnit = 64              // bytes of what appears as one character, or of a number
	longestRun  = 4 * longestUnit // bytes of a run of flags, whose letters are paired in order
	longestName = 90              // bytes of a name in a script without spaces

	longestGroups = 44 // bytes of a number in groups: an IBAN of 34 characters with spaces
)

// betweenWords reports whether a text has a word boundary at offset i: beside a space that is not
// within a number, or between characters of scripts that are written without spaces, if these are
// no part of a path.
func betweenWords(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return true
	}
	if isSpace(s[i]) || isSpace(s[i-1]) {
		return !InGroups(s, i)
	}
	if s[i-1] < utf8.RuneSelf && s[i] < utf8.RuneSelf || !utf8.RuneStart(s[i]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return (unspaced(before) || unspaced(after)) && !within(s, i) && !inPath(s, i)
}

// inName reports whether offset i of a text may be within a name: neither character beside it is
// punctuation of ASCII that ends names.
func inName(s string, i int) bool {
	return i <= 0 || i >= len(s) || joins(s[i-1]) && joins(s[i]) || within(s, i)
}

// joins reports whether a byte may be a part of a name.
func joins(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b >= utf8.RuneSelf ||
		strings.IndexByte("_@#%$~+:"+joints, b) >= 0
}

// InGroups reports whether a space beside offset i of a text is between groups of digits that may
// be one number: an amount, an account, a telephone. A longer run of them is a table.
func InGroups(s string, i int) bool {
	if s[i] != ' ' {
		i--
	}
	if s[i] != ' ' || i == 0 || !isDigit(s[i-1]) || i+1 == len(s) || !isDigit(s[i+1]) {
		return false
	}
	from, to := i, i
	for from > 0 && i-from <= longestGroups && inDigits(s, from-1) {
		from--
	}
	for to < len(s) && to-i <= longestGroups && inDigits(s, to) {
		to++
	}
	return to-from <= longestGroups
}

// inDigits reports whether the byte at offset i of a text is a digit, or stands between two.
func inDigits(s string, i int) bool {
	return isDigit(s[i]) || (s[i] == ' ' || separates(rune(s[i]))) && i > 0 && isDigit(s[i-1]) &&
		i+1 < len(s) && isDigit(s[i+1])
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// unspaced reports whether a character is of a script that is written without spaces between words,
// or of its punctuation.
func unspaced(r rune) bool {
	return r >= 0x3000 && r <= 0x30ff || r >= 0xff01 && r <= 0xff65 &&
		!unicode.IsDigit(r) && !unicode.In(r, unicode.Latin) || unicode.In(r, unicode.Han,
		unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// phrased reports whether offset i of a text is between letters of a script that has spaces only
// between phrases. Its words are long, and where they end is unknown.
func phrased(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.In(before, phrases...) && unicode.In(after, phrases...)
}

var phrases = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// endOfPhrase returns where the phrase ends that precedes offset i of a text, if i is within one
// and that is near and more than from; else i.
func endOfPhrase(s string, i, from int) int {
	for at := i; phrased(s, i) && at > max(from, i-longestUnit, 0); at-- {
		if isSpace(s[at-1]) {
			return at - 1
		}
	}
	return i
}

// startOfPhrase returns where the phrase begins that follows offset i of a text, if i is within one
// and that is near and less than to; else i.
func startOfPhrase(s string, i, to int) int {
	for at := i; phrased(s, i) && at < min(to, i+longestUnit, len(s)); at++ {
		if isSpace(s[at]) {
			return at
		}
	}
	return i
}

// joints join the parts of paths and of names.
const joints = `._-/\`

func joint(b byte) bool { return strings.IndexByte(joints, b) >= 0 }

// inPath reports whether the letters around offset i, of scripts without spaces, are joined with
// others by a character of paths: those of "src/订单/价格.go".
func inPath(s string, i int) bool {
	from := i
	for from > max(0, i-longestName) {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if r < utf8.RuneSelf || !unicode.In(r, unicode.L, unicode.M) {
			if strings.ContainsRune(joints, r) {
				return true
			}
			break
		}
		from -= size
	}
	for to := i; to < min(len(s), i+longestName); {
		r, size := utf8.DecodeRuneInString(s[to:])
		to += size
		if r < utf8.RuneSelf || !unicode.In(r, unicode.L, unicode.M) {
			return strings.ContainsRune(joints, r) && to < len(s) && !isSpace(s[to])
		}
	}
	return false
}

// within reports whether offset i of a text is within a number or what appears as one character:
// a letter with its marks, a sequence of emojis, an escape of JSON.
func within(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	if !utf8.RuneStart(s[i]) {
		return true
	}
	before, size := utf8.DecodeLastRuneInString(s[:i])
	after, next := utf8.DecodeRuneInString(s[i:])
	switch {
	case after < utf8.RuneSelf && inEscape(s, i):
		return true
	case unicode.IsDigit(before) && unicode.IsDigit(after):
		return true
	case unicode.IsDigit(before) && separates(after):
		further, _ := utf8.DecodeRuneInString(s[i+next:])
		return unicode.IsDigit(further)
	case unicode.IsDigit(after) && separates(before):
		further, _ := utf8.DecodeLastRuneInString(s[:i-size])
		return unicode.IsDigit(further)
	case before < utf8.RuneSelf && after < utf8.RuneSelf:
		return before == '\r' && after == '\n'
	case leads(before) || trails(after):
		return true
	}
	return inCharacter(s, i)
}

// leads reports whether a character is a vowel of Thai or Lao, which is spelled before its
// consonant.
func leads(r rune) bool { return r >= 0x0e40 && r <= 0x0e44 || r >= 0x0ec0 && r <= 0x0ec4 }

// trails reports whether a character belongs to the one before: small kana, marks of length, of
// repetition and of abbreviation.
func trails(r rune) bool { return strings.ContainsRune(trailing, r) }

const trailing = "ๆฯໆຯーゝゞヽヾ々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"

// inCharacter reports whether offset i is within a grapheme cluster, which appears as one
// character. It looks for its beginning from the last byte of ASCII on.
func inCharacter(s string, i int) bool {
	from := i - 1
	for from > max(0, i-longestRun) && s[from] >= utf8.RuneSelf {
		from--
	}
	for from < i && !utf8.RuneStart(s[from]) {
		from++
	}
	if from == i {
		return false // after bytes that are no characters
	}
	clusters := graphemes.FromString(s[from:min(len(s), i+longestUnit)])
	for clusters.Next() {
		if end := from + clusters.End(); end >= i {
			return end > i
		}
	}
	return false
}

// separates reports whether a character may stand within a number, a date or a time.
func separates(r rune) bool { return strings.ContainsRune(".,:/-'’٫٬", r) }

// inEscape reports whether offset i is within an escape of JSON, such as "\u0645", or between the
// two that stand for one character.
func inEscape(s string, i int) bool {
	at := strings.LastIndexByte(s[max(0, i-len(`\ud83d`)):i], '\\')
	if at < 0 {
		return false
	}
	at += max(0, i-len(`\ud83d`))
	if at > 0 && s[at-1] == '\\' {
		return false // it is escaped itself
	}
	if at+1 == i {
		return true
	}
	const long = len(`\u0645`)
	if s[at+1] != 'u' {
		return false
	}
	if i < at+long {
		return true
	}
	return strings.HasPrefix(strings.ToLower(s[at:i]), `\ud`) && i == at+long &&
		s[at+3] >= '8' && s[at+3]|0x20 <= 'b' && strings.HasPrefix(s[i:], `\u`)
}

// Head returns at most n bytes from the beginning of s, without splitting a character.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Tail returns at most n bytes from the end of s, without splitting a character.
func Tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}
