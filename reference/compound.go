package reference

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parts calls yield with the references in a compound word such as "limit=max_items" or "a.go#L12".
func parts(whole string, yield func(word string, kind Kind)) {
	if percentEncoded(whole) {
		return // its parts are not names
	}
	before, route := rune(0), strings.Contains(whole, "/+")
	for _, part := range strings.FieldsFunc(whole, func(r rune) bool {
		// but not in "routes/+page.svelte"
		joins := r < utf8.RuneSelf && jointByte[r] && !(route && r == '+' && before == '/')
		before = r
		return joins
	}) {
		if word := trim(withoutLine(part)); len(word) >= 3 {
			if kind := classify(word, count(word)); kind != None {
				yield(word, kind)
			}
		}
	}
}

// percentEncoded reports whether a word has characters of a URL: "a%20b.pdf".
func percentEncoded(word string) bool {
	for {
		_, rest, found := strings.Cut(word, "%")
		if !found {
			return false
		}
		if len(rest) > 1 && isHex(rest[0]) && isHex(rest[1]) {
			return true
		}
		word = rest
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// maxHunkContext is where git (xdiff/xemit.c) cuts the line of context in the header of a hunk, in
// bytes.
const maxHunkContext = 80

// isPart reports whether text[start:end] is a part of a longer name, which has characters that
// references are not made of: "test_" of "test_حساب", "/page.tsx" of "app/[id]/page.tsx", or what
// follows the asterisk of a pattern or the name of a variable. Such a part is not a name.
func isPart(text string, start, end int) bool {
	if end < len(text) && text[end-1] == '/' && strings.IndexByte("[({$", text[end]) >= 0 {
		return true
	}
	if end < len(text) && text[end] >= utf8.RuneSelf {
		next, _ := utf8.DecodeRuneInString(text[end:])
		if alphabetic(next) || continues(text[end-1], next) {
			return true
		}
	}
	if at := end - maxHunkContext; at >= 3 && text[at-3:at] == "@@ " &&
		(end == len(text) || text[end] == '\n') {
		return true
	}
	if end < len(text) && text[end] == escape {
		to := beyondColors(text, end)
		if endsInName(text[:end]) && beginsInName(text[to:]) {
			return true
		}
	}
	if start == 0 {
		return false
	}
	if classOf[text[start-1]] != 0 { // the end of an escape sequence
		from := beforeColors(text, start)
		return from < start && endsInName(text[:from]) && beginsInName(text[start:])
	}
	switch before := text[start-1]; before {
	case '`': // a line end in a string of PowerShell: "`r`nnext"
		return text[start] == 'n' && strings.HasSuffix(text[:start], "`r`")
	case '*':
		return strings.IndexByte("_./-", text[start]) >= 0
	case ']', '}', ')':
		return text[start] == '/'
	case '$':
		word := text[start:end]
		return strings.IndexByte(word, '/') >= 0 || HasExtension(word)
	default:
		if before < utf8.RuneSelf {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(text[:start])
		return alphabetic(last) || continues(text[start], last) ||
			text[start] == '.' && unicode.In(last, unicode.L, unicode.M, unicode.Nd) &&
				!strings.HasPrefix(text[start:], "./") && !strings.HasPrefix(text[start:], "../")
	}
}

// isElement reports whether text[start:end] is how @playwright/mcp (0.0.83) marks an element of a
// page, or of a frame in it, as in `button "Save" [ref=e12]` and `[ref=f4e12]`. Without the line
// that it stands in, and after the next snapshot, it says nothing.
func isElement(text string, start, end int) bool {
	if start == 0 || text[start-1] != '[' || end == len(text) || text[end] != ']' {
		return false
	}
	id, ok := strings.CutPrefix(text[start:end], "ref=")
	if frame, isFrame := strings.CutPrefix(id, "f"); isFrame {
		id = strings.TrimLeft(frame, digits)
	}
	number, isElement := strings.CutPrefix(id, "e")
	return ok && isElement && number != "" && strings.Trim(number, digits) == ""
}

const digits = "0123456789"

// isClass reports whether a word is a class of characters in a regular expression: "a-zA-Z0-9_",
// "А-Яа-яЁё".
func isClass(word string) bool {
	ranges := 0
	for word != "" {
		first, size := classAt(word, 0)
		from, rest := word[:size], word[size:]
		if to, ok := strings.CutPrefix(rest, "-"); ok && to != "" {
			if last, n := classAt(to, 0); first == last && from < to[:n] {
				word = to[n:]
				ranges++
				continue
			}
		}
		if from != "_" && size == 1 {
			return false
		}
		word = rest
	}
	return ranges > 1
}

// isPartOfNumber reports whether the digits text[start:end] may be a part of a longer number, such
// as that of a telephone, or an amount: "0171 2345678", "12345 678,90", "14650,48". In a list,
// "12345,67890,", they are whole.
func isPartOfNumber(text string, start, end int) bool {
	before, size := utf8.DecodeLastRuneInString(text[:start])
	if groups(before) && endsInDigit(text[:start-size]) {
		return true
	}
	after, size := utf8.DecodeRuneInString(text[end:])
	rest := text[end+size:]
	decimals := 0
	for decimals < len(rest) && '0' <= rest[decimals] && rest[decimals] <= '9' {
		decimals++
	}
	if after == ',' {
		return 0 < decimals && decimals <= 2 && !strings.HasPrefix(rest[decimals:], ",")
	}
	return groups(after) && decimals > 0
}

// groups reports whether a character may part the digits of a number into groups.
func groups(r rune) bool { return strings.ContainsRune(" \u00a0\u2009\u202f'\u2019", r) }

func endsInDigit(s string) bool {
	return s != "" && '0' <= s[len(s)-1] && s[len(s)-1] <= '9'
}

// continues reports whether a character of any other script continues a word that has this byte
// beside it: "test_" and a letter, a digit and one of those digits, or a digit and the decimal or
// thousands separator of Arabic.
func continues(beside byte, r rune) bool {
	switch {
	case beside == '_' || beside == '-':
		return unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	case '0' <= beside && beside <= '9':
		return r == '\u066b' || r == '\u066c' || unicode.Is(unicode.Nd, r)
	}
	return false
}

// diffSide returns the length of the "a/" or "b/" that a diff puts before the path at text[start].
func diffSide(text string, start int) int {
	if strings.HasPrefix(text[start:], "a/") || strings.HasPrefix(text[start:], "b/") {
		line := text[max(0, start-maxLen-len("diff --git a/ ")):start]
		line = line[strings.LastIndexByte(line, '\n')+1:]
		if line == "--- " || line == "+++ " || strings.HasPrefix(line, "diff --git ") {
			return len("a/")
		}
	}
	return 0
}

// assigned returns how many bytes of a compound word precede the value of a shell variable:
// "DIR:-" of "DIR:-/var/x", "HOST=" of "HOST=https://a.example/".
func assigned(whole string) int {
	for i := 1; i+1 < len(whole); i++ {
		switch c := whole[i]; {
		case c == ':' && strings.IndexByte("-=+?", whole[i+1]) >= 0:
			return i + 2
		case c == '=':
			return i + 1
		case classOf[c]&(lower|upper|digit|under) == 0:
			return 0
		}
	}
	return 0
}

// found returns how many bytes of a compound word precede the line that a search found:
// "auth.go:42:" of "auth.go:42:func".
func found(whole string) int {
	file, rest, _ := strings.Cut(whole, ":")
	number, _, hit := strings.Cut(rest, ":")
	if !hit || number == "" || strings.Trim(number, "0123456789") != "" || !HasExtension(file) {
		return 0
	}
	return len(file) + len(number) + len("::")
}

// withoutLine removes a line number, which listings put before a word and compilers after it:
// "58:class", "auth.go:42".
func withoutLine(word string) string {
	for { // "auth.go:42:7" is auth.go
		i := strings.LastIndexByte(word, ':')
		if i < 1 || strings.Trim(word[i+1:], "0123456789") != "" ||
			!strings.ContainsAny(word[:i], "./") {
			break
		}
		word = word[:i]
	}
	n := 0
	for n < len(word) && '0' <= word[n] && word[n] <= '9' {
		n++
	}
	if n == 0 || n+1 >= len(word) || word[n] != ':' || '0' <= word[n+1] && word[n+1] <= '9' {
		return word
	}
	return word[n+1:]
}
