package probe

import (
	"strings"
	"unicode"
)

// plainLetters maps accented lower-case Latin letters to their base, so that a summary typed without accents, or with
// combining marks in place of composed letters, still compares equal.
var plainLetters = map[rune]rune{}

func init() {
	for base, accented := range map[rune]string{
		'a': "àáâãäåāăą", 'c': "çćĉċč", 'd': "ďđ", 'e': "èéêëēĕėęě", 'g': "ĝğġģ", 'h': "ĥħ", 'i': "ìíîïĩīĭįı",
		'j': "ĵ", 'k': "ķ", 'l': "ĺļľŀł", 'n': "ñńņň", 'o': "òóôõöøōŏő", 'r': "ŕŗř", 's': "śŝşš", 't': "ţťŧ",
		'u': "ùúûüũūŭůűų", 'w': "ŵ", 'y': "ýÿŷ", 'z': "źżž", 'е': "ё",
	} {
		for _, r := range accented {
			plainLetters[r] = base
		}
	}
}

// foldRune returns the form of r that is compared, or -1 for a mark that is dropped.
func foldRune(r rune) rune {
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	switch {
	case 0xFF01 <= r && r <= 0xFF5E: // full-width forms of ASCII
		return foldRune(r - 0xFEE0)
	case r == '’' || r == 'ʼ' || r == '‘':
		return '\''
	case r == '\u00a0' || r == '\u3000' || r == '\u202f' || r == '\u2009':
		return ' '
	case r == '\u2011' || r == '\u2010':
		return '-'
	case r == '\u00ad' || 0x200b <= r && r <= 0x200d || r == '\ufeff' || r == '\ufe0f' || unicode.Is(unicode.Mn, r):
		return -1
	}
	r = unicode.ToLower(r)
	if p, ok := plainLetters[r]; ok {
		return p
	}
	return r
}

// fold returns s in the form that is compared: lower case, without accents, full-width forms made plain.
func fold(s string) string {
	upper := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x80 {
			return strings.Map(foldRune, s)
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	if upper {
		return strings.ToLower(s)
	}
	return s
}

// normal returns s folded, with its runs of white space made one blank each.
func normal(s string) string {
	return strings.Join(strings.Fields(fold(s)), " ")
}

// unspaced reports whether r belongs to a script written without blanks between its words (or, for Hangul, with
// endings that change a word's shape), which is compared by pairs of letters.
func unspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar) || r == 'ー' || r == '々'
}

// stem cuts the endings of English words that change between a fact and its paraphrase ("typed", "types" and "type"
// all give "typ"). It is crude on purpose: two words that it confuses must still agree in everything around them.
func stem(w string) string {
	if len(w) < 4 {
		if w == "use" {
			return "us"
		}
		return synonym(w)
	}
	if w == "using" {
		return "us"
	}
	for i := 0; i < len(w); i++ {
		if w[i] >= 0x80 {
			return cutEnding(w)
		}
	}
	w = strings.TrimSuffix(w, "'s")
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case hasAnySuffix(w, "sses", "xes", "zes", "ches", "shes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !hasAnySuffix(w, "ss", "us", "is"):
		w = w[:len(w)-1]
	}
	switch {
	case strings.HasSuffix(w, "ing") && len(w) > 5:
		w = undouble(w[:len(w)-3])
	case strings.HasSuffix(w, "ied") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ed") && len(w) > 4 && !strings.HasSuffix(w, "eed"):
		w = undouble(w[:len(w)-2])
	case hasAnySuffix(w, "tion", "sion") && len(w) > 6:
		w = w[:len(w)-3]
	case strings.HasSuffix(w, "ment") && len(w) > 7:
		w = w[:len(w)-4]
	case strings.HasSuffix(w, "ly") && len(w) > 5:
		w = w[:len(w)-2]
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return synonym(w)
}

// cutEnding shortens a long Cyrillic or Greek word by its inflected end.
func cutEnding(w string) string {
	runes := []rune(w)
	if len(runes) < 6 || runes[0] < 0x370 || runes[0] > 0x52F {
		return w
	}
	return string(runes[:len(runes)-2-len(runes)/9])
}

func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

func hasAnySuffix(s string, suffixes ...string) bool {
	for _, x := range suffixes {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}
