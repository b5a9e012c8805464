package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class says how a token is compared. Hard classes are facts by themselves: one that is missing or different is not
// made up for by the words around it.
type class uint8

const (
	word    class = iota // compared by stem
	gram                 // a pair of letters of a script without blanks
	symbol               // an emoji or sign
	name                 // an identifier, dotted or camel-cased name, date, time, flag
	path                 // a file or folder
	link                 // a URL
	number               // a quantity, by value and unit
	version              // a release
	digest               // a hash or UUID, by prefix
)

func (c class) hard() bool { return c >= name }

// token is one comparable piece of text.
type token struct {
	class class
	text  string    // folded
	keys  [3]string // what it is looked up by; empty ones unused
	qty   *quantity // of a number
	rel   *release  // of a version

	start, end int32 // bytes in the source
	clause     int32 // index into document.clauses
	stop       bool  // carries no fact
	light      bool  // a verb of any request
	quoted     bool  // stood between backticks
	aux        bool  // a piece of the token before it: answers, never asks
	flip       bool  // negated apart from its clause ("instead of X")
	chosen     bool  // what a choice verb chose
	key        bool  // the first word of that
}

// maxChunk is the length, in bytes, from which a run without blanks is not taken apart.
const maxChunk = 512

// classify turns a chunk into tokens, appended to dst.
func classify(dst []token, raw string) []token {
	raw = strings.TrimLeft(raw, "'@&:")
	if t := strings.Trim(raw, "_*"); t != "" && t != raw && !strings.Contains(t, "_") {
		raw = t
	}
	text := fold(raw)
	switch {
	case text == "":
		return dst
	case len(text) > maxChunk && !strings.Contains(text[:24], "://"): // encoded bytes, minified code
		return append(dst, token{class: name, text: text, keys: [3]string{"i:" + text}})
	case strings.Contains(text, "://"):
		return classifyLink(dst, text)
	case strings.ContainsAny(text, `/\`):
		return classifyPath(dst, raw, text)
	case strings.Contains(text, ":"):
		return classifyColons(dst, raw, text)
	}
	if isHash(text) {
		return append(dst, hashToken(text))
	}
	if t, ok := valueToken(text); ok {
		return append(dst, t)
	}
	if a, b, found := strings.Cut(text, "-"); found && a != "" && b != "" && strings.Trim(a+b, "0123456789") == "" {
		return classify(classify(dst, a), b) // a range
	}
	return classifyName(dst, raw, text)
}

func classifyLink(dst []token, text string) []token {
	trimmed := strings.TrimRight(text, "/")
	dst = append(dst, token{class: link, text: trimmed, keys: [3]string{"u:" + trimmed}})
	_, rest, _ := strings.Cut(trimmed, "://")
	host, tail, _ := strings.Cut(rest, "/")
	if h, port, found := strings.Cut(host, ":"); found {
		host = h
		if t, ok := valueToken(port); ok {
			t.aux = true
			dst = append(dst, t)
		}
	}
	dst = append(dst, token{class: name, text: host, aux: true, keys: [3]string{"i:" + host}})
	if base := lastPart(tail, '/'); base != "" {
		dst = append(dst, token{class: path, text: tail, aux: true, keys: [3]string{"p:" + tail, "b:" + base}})
	}
	return dst
}

// classifyPieces classifies what stands between separators that text holds. In
// raw they may be wide ones: split as it is, it would be one piece for ever.
func classifyPieces(dst []token, raw, text, separator string) []token {
	if !strings.Contains(raw, separator) {
		raw = text
	}
	for piece := range strings.SplitSeq(raw, separator) {
		dst = classify(dst, piece)
	}
	return dst
}

// classifyPath tells a path from words set apart by a slash ("read/write").
func classifyPath(dst []token, raw, text string) []token {
	if strings.Contains(text, `\`) && !windowsPath(text) {
		return classifyPieces(dst, raw, text, `\`)
	}
	clean := strings.ReplaceAll(text, `\`, "/")
	if i := strings.LastIndexByte(clean, ':'); i > 1 { // auth.go:42
		if _, ok := valueToken(strings.TrimRight(clean[i+1:], ":")); ok || i == len(clean)-1 {
			return classifyPath(dst, raw[:min(i, len(raw))], text[:i])
		}
	}
	clean = strings.TrimRight(strings.TrimPrefix(clean, "./"), "/.")
	if strings.Trim(clean, "/~.-") == "" {
		return dst
	}
	rooted := strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "~/") || strings.HasPrefix(clean, "..") ||
		strings.HasPrefix(text, "./") || strings.Contains(text, `\`) || strings.HasSuffix(text, "/")
	if !rooted && strings.Count(clean, "/") == 1 && !strings.ContainsAny(clean, "._-@#0123456789") {
		return classifyPieces(dst, raw, text, "/")
	}
	if parts := strings.Split(clean, "/"); !rooted && len(parts) <= 3 { // 1/2, 20/05/2024
		digits := 0
		for _, p := range parts {
			if _, ok := valueToken(p); ok {
				digits++
			}
		}
		if digits == len(parts) {
			return append(dst, token{class: name, text: clean, keys: [3]string{"i:" + clean}})
		}
	}
	return pathToken(dst, clean)
}

// windowsPath tells C:\src, ..\src and src\auth.go from an escape such as \n.
func windowsPath(text string) bool {
	if len(text) > 2 && text[1] == ':' && text[2] == '\\' || strings.HasPrefix(text, `.\`) || strings.HasPrefix(text, `..\`) ||
		strings.HasPrefix(text, `\\`) {
		return true
	}
	base := lastPart(text, '\\')
	return strings.Contains(base, ".") && extensions.has(lastPart(base, '.'))
}

func pathToken(dst []token, clean string) []token {
	base := lastPart(clean, '/')
	dst = append(dst, token{class: path, text: clean, keys: [3]string{"p:" + clean, "b:" + base}})
	return pieces(dst, base)
}

// classifyColons splits "localhost:8080" and "pkg::Item", and keeps times.
func classifyColons(dst []token, raw, text string) []token {
	if strings.Contains(text, "::") {
		return nameToken(dst, text, lastPart(strings.ReplaceAll(text, "::", ":"), ':'))
	}
	if strings.Trim(text, "0123456789:") == "" && strings.Count(text, ":") <= 2 {
		return nameToken(dst, text, "")
	}
	return classifyPieces(dst, raw, text, ":")
}

// valueToken reads a number or a release.
func valueToken(text string) (token, bool) {
	if text == "" || !strings.ContainsAny(text[:min(len(text), 5)], "0123456789") {
		return token{}, false
	}
	text = strings.TrimLeft(text, "~+")
	rel, isRelease := parseRelease(text)
	if isRelease && (len(rel.parts) != 2 || text[0] == 'v' || rel.parts[0] != "0") {
		t := token{class: version, text: text, rel: &rel}
		t.keys = [3]string{"v:" + strings.Join(rel.parts, "."), "m:" + rel.parts[0]}
		return t, true
	}
	if q, ok := parseQuantity(text); ok {
		return quantityToken(text, q), true
	}
	return token{}, false
}

func quantityToken(text string, q quantity) token {
	t := token{class: number, text: text, qty: &q, keys: [3]string{q.key(), q.bare()}}
	if t.keys[0] == t.keys[1] {
		t.keys[1] = ""
	}
	return t
}

// isHash reports whether text looks like a commit hash, a digest or a UUID.
func isHash(text string) bool {
	if len(text) < 7 {
		return false
	}
	digits, letters := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isDigit(c):
			digits++
		case 'a' <= c && c <= 'f':
			letters++
		case c != '-' || len(text) != 36:
			return false
		}
	}
	return digits > 0 && letters > 0 && (digits > 1 || len(text) > 8) || len(text) == 36 && digits+letters == 32
}

func hashToken(text string) token {
	hex := strings.ReplaceAll(text, "-", "")
	return token{class: digest, text: hex, keys: [3]string{"h:" + hex, "x:" + hex[:min(7, len(hex))]}}
}

// classifyName tells identifiers and files from words.
func classifyName(dst []token, raw, text string) []token {
	bare := strings.TrimLeft(text, "-#~+")
	switch {
	case bare == "" || strings.Trim(bare, "_.-+%$'#&") == "":
		return dst
	case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "$"):
		return nameToken(dst, strings.TrimLeft(bare, "$"), "")
	case strings.Contains(bare, "."):
		if i := strings.LastIndexByte(bare, '.'); extensions.has(bare[i+1:]) {
			return pathToken(dst, bare)
		}
		if i := strings.LastIndexByte(bare, '.'); i > 0 && i < len(bare)-1 {
			return nameToken(dst, bare, bare[i+1:])
		}
	case strings.Contains(bare, "-") && !identifies(raw):
		for piece := range strings.SplitSeq(bare, "-") {
			if piece != "" {
				dst = append(dst, wordToken(piece))
			}
		}
		return dst
	}
	if identifies(raw) {
		from := len(dst)
		dst = nameToken(dst, bare, "")
		if len(dst) == from+1 {
			dst = humps(dst, raw)
		}
		return dst
	}
	return append(dst, wordToken(bare))
}

// identifies reports whether a chunk is spelled as no word is: with digits, underscores or capitals inside. Plurals of
// acronyms ("PRs") and shouting are words.
func identifies(raw string) bool {
	lower, inner := 0, 0
	for i, r := range raw {
		switch {
		case r == '_' || r == '@' || '0' <= r && r <= '9' || r == '#' && i > 0:
			return true
		case unicode.IsLower(r):
			lower++
		case unicode.IsUpper(r) && i > 0 && raw[i-1] != '-':
			inner++
		}
	}
	return inner > 0 && lower > 0 && !(lower == 1 && strings.HasSuffix(raw, "s"))
}

// nameToken appends an identifier, found by its whole or by its last segment, and the words that it is made of.
func nameToken(dst []token, text, last string) []token {
	t := token{class: name, text: text, keys: [3]string{"i:" + text}}
	if len(last) > 2 && last != text {
		t.keys[1] = "i:" + last
	}
	return pieces(append(dst, t), text)
}

// pieces appends the words inside an identifier or file name as auxiliary tokens, at most eight.
func pieces(dst []token, text string) []token {
	n := 0
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if n == 8 || len(piece) == len(text) {
			break
		}
		if len(piece) > 2 && !strings.ContainsAny(piece, "0123456789") {
			t := wordToken(piece)
			t.aux = true
			dst = append(dst, t)
			n++
		}
	}
	return dst
}

// humps appends the words of a camel-cased identifier as auxiliary tokens, at most eight.
func humps(dst []token, raw string) []token {
	start, limit := 0, len(dst)+8
	cut := func(end int) {
		if end-start > 2 && len(dst) < limit && !strings.ContainsAny(raw[start:end], "0123456789") {
			t := wordToken(fold(raw[start:end]))
			t.aux = true
			dst = append(dst, t)
		}
		start = end
	}
	lower := false
	for i, r := range raw {
		if unicode.IsUpper(r) && lower {
			cut(i)
		}
		lower = unicode.IsLower(r)
	}
	if start > 0 {
		cut(len(raw))
	}
	return dst
}

func wordToken(text string) token {
	s := stem(text)
	t := token{class: word, text: text, keys: [3]string{"w:" + s, "i:" + text}, stop: stopWords.has(text)}
	if d, ok := numerals[text]; ok {
		t.keys[2] = "n:" + d
	}
	t.light = lightStems.has(s)
	return t
}

// gramTokens appends the pairs of letters of run; a single letter stands for itself.
func gramTokens(dst []token, run string, start int) []token {
	run = fold(run)
	last, lastAt := rune(0), -1
	for i, r := range run {
		if lastAt >= 0 {
			text := string([]rune{last, r})
			dst = append(dst, token{class: gram, text: text, keys: [3]string{"g:" + text}, light: glue(last) || glue(r),
				start: int32(start + lastAt), end: int32(start + i + utf8.RuneLen(r))})
		}
		last, lastAt = r, i
	}
	if lastAt == 0 {
		dst = append(dst, token{class: gram, text: run, keys: [3]string{"g:" + run}, light: glue(last),
			start: int32(start), end: int32(start + len(run))})
	}
	return dst
}

// glue reports whether r is a particle.
func glue(r rune) bool {
	return strings.ContainsRune("的了是在和与或等把被也都就还而及之其请您你我们这那はがをにのでともへや", r)
}

func lastPart(s string, sep byte) string { return s[strings.LastIndexByte(s, sep)+1:] }
