package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/probe/normal"
)

// classify classifies one chunk; next is the one after it, for a unit.
func classify(chunk, next string, found func(Value)) {
	chunk = strings.TrimRight(strings.TrimLeft(chunk, "-:_~"), ".:-_~")
	if len(chunk) < 1 || len(chunk) > 1000 {
		return
	}
	text := normal.Lower(chunk)
	switch {
	case strings.Contains(text, "://"):
		found(link(chunk, text))
	case strings.ContainsAny(text, `/\`):
		path(chunk, text, found)
	case strings.Contains(text, ":"):
		withColons(chunk, text, found)
	case classifyNumber(chunk, text, next, found):
	case dotted(text):
		found(pathValue(chunk, text))
	case identifies(text):
		v := newValue(Identifier, chunk, keyOf(byID, text))
		if isHash(text) {
			for n := minHash; n < min(len(text), maxHash); n++ {
				v.Indexed = append(v.Indexed, keyOf(byID, text[:n]))
			}
		}
		found(v)
	default:
		numberRange(chunk, next, found)
	}
}

func link(chunk, text string) Value {
	_, rest, _ := strings.Cut(text, "://")
	rest = strings.TrimRight(strings.TrimPrefix(rest, "www."), "/?#,;")
	v := newValue(URL, chunk, keyOf(byLink, rest))
	for i := 0; i < len(rest); i++ {
		if strings.IndexByte("/?#:", rest[i]) >= 0 && len(v.Parents) < maxParts {
			v.Parents = append(v.Parents, keyOf(byLink, rest[:i]))
		}
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	bare := pathValue(rest, rest) // named without its scheme
	v.Indexed = append(v.Indexed, bare.Indexed...)
	v.Parents = append(v.Parents, bare.Parents...)
	return v
}

// maxParts bounds the parts of a path or address that are looked up separately.
const maxParts = 24

// path reads a path, and a suffix such as in auth.go:42. Words separated by a slash
// ("read/write") are not paths.
func path(chunk, text string, found func(Value)) {
	if i := strings.IndexByte(text, ':'); i > 1 { // auth.go:42
		pieces(chunk[i+1:], found)
		chunk, text = chunk[:i], text[:i]
	}
	clean := strings.ReplaceAll(text, `\`, "/")
	rooted := strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, ".") ||
		strings.HasPrefix(clean, "~") || strings.HasSuffix(clean, "/")
	clean = strings.Trim(strings.TrimPrefix(clean, "./"), "/.")
	if !rooted && strings.Count(clean, "/") == 1 &&
		!strings.ContainsAny(clean, "._-@#0123456789") || clean == "" {
		return
	}
	if strings.Trim(clean, "0123456789/.") == "" { // 1/2, 20/05/2024
		if !rooted && len(clean) > 4 {
			found(newValue(Identifier, chunk, keyOf(byID, clean)))
		}
		return
	}
	found(pathValue(chunk, clean))
}

// pathValue is looked up as a whole, and matches any path that ends in it. A part that is a number
// is named as one: pull/13 is #13.
func pathValue(chunk, clean string) Value {
	v := newValue(Path, chunk, keyOf(byPath, clean))
	for i := len(clean) - 1; i > 0 && len(v.Indexed) < maxParts; i-- {
		if clean[i-1] == '/' {
			v.Indexed = append(v.Indexed, keyOf(byPath, clean[i:]))
		}
	}
	for i := 1; i < len(clean) && len(v.Parents) < maxParts; i++ {
		if clean[i] == '/' {
			v.Parents = append(v.Parents, keyOf(byPath, clean[:i]))
		}
	}
	parts := 0
	for part := range strings.SplitSeq(clean, "/") {
		if part != "" && countDigits(part) == len(part) && parts < maxParts {
			parts++
			v.Indexed = append(v.Indexed, numberKeys(byNumber, part)...)
		}
	}
	return v
}

// dotted reports whether a chunk is a file or a dotted name: letters or digits on
// both sides of a dot, at least two after the last one.
func dotted(text string) bool {
	i := strings.LastIndexByte(text, '.')
	if i < 1 || i > len(text)-2 || len(text) < 4 {
		return false
	}
	for part := range strings.SplitSeq(text, ".") {
		if part == "" && !strings.HasPrefix(text, ".") {
			return false
		}
	}
	foreign := func(r rune) bool {
		if r >= utf8.RuneSelf {
			return true
		}
		return !strings.ContainsRune("._-@#+", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return !strings.ContainsFunc(text, foreign) && strings.Trim(text, "0123456789.") != ""
}

// identifies reports whether a chunk is an identifier rather than a word: a hash, or
// letters with digits, an underscore or an at sign. Chunks that begin with digits are
// counts or ordinals.
func identifies(text string) bool {
	if isHash(text) {
		return true
	}
	digits, letters, marks := 0, 0, 0
	for i, r := range text {
		switch {
		case r < utf8.RuneSelf && normal.IsDigit(byte(r)):
			digits++
		case unicode.IsLetter(r):
			letters++
		case r == '_' && i > 0, r == '@', r == '-':
			marks++
		case r != '#' && r != '.' && r != '+' && r != '$' && r != '%':
			return false
		}
	}
	switch {
	case digits > 0 && letters == 0: // 2024-05-20
		return marks > 0 && digits >= 6
	case strings.ContainsAny(text, "_@"):
		return letters+digits > 2
	}
	return digits > 0 && (letters > 1 || letters > 0 && digits > 2) &&
		digits+letters+marks >= 4 && !normal.IsDigit(text[0])
}

// A commit's hash is shortened to seven digits and more.
const (
	minHash = 7
	maxHash = 16
)

// isHash reports whether text looks like a commit's hash, a digest or a UUID.
func isHash(text string) bool {
	digits, letters := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case normal.IsDigit(c):
			digits++
		case 'a' <= c && c <= 'f':
			letters++
		case c != '-' || len(text) != 36:
			return false
		}
	}
	return digits > 0 && letters > 0 && digits+letters >= minHash
}

// classifyNumber reads a version or a number with its unit.
func classifyNumber(chunk, text, next string, found func(Value)) bool {
	if isVersion(text) {
		bare := strings.TrimPrefix(text, "v")
		v := newValue(Version, chunk, keyOf(byID, "v"+bare))
		for i := 1; i < len(bare); i++ { // the release of a patch version
			if bare[i] == '.' || bare[i] == '-' || bare[i] == '+' {
				v.Indexed = append(v.Indexed, keyOf(byID, "v"+bare[:i]))
				v.Indexed = append(v.Indexed, numberKeys(byNumber, bare[:i])...)
			}
		}
		found(v)
		return true
	}
	readings, u, ok := parseNumber(text)
	if !ok {
		return false
	}
	if u.dim == "" && next != "" {
		if known, isUnit := units[normal.Lower(strings.TrimRight(next, "."))]; isUnit {
			u, chunk = known, chunk+" "+next
		}
	}
	v := Value{Kind: Number, Text: chunk}
	for _, n := range readings {
		bare := keyOf(byNumber, format(n))
		plain := keyOf(byAmount, format(n))
		v.Indexed = append(v.Indexed, bare)
		switch {
		case u.dim != "":
			amount := keyOf(byAmount, u.dim+format(n*u.factor))
			v.Indexed = append(v.Indexed, amount)
			v.Lookup = append(v.Lookup, amount, plain)
		case countDigits(text) > 2 || strings.ContainsAny(text, ".,#") || n >= 1000:
			v.Indexed = append(v.Indexed, plain)
			v.Lookup = append(v.Lookup, bare, keyOf(byID, "v"+text))
		default:
			v.Indexed = append(v.Indexed, plain)
		}
	}
	found(v)
	return true
}

func numberKeys(class byte, digits string) (keys []Key) {
	for _, n := range readDigits(digits) {
		keys = append(keys, keyOf(class, format(n)))
	}
	return keys
}

func countDigits(text string) (n int) {
	for i := 0; i < len(text); i++ {
		if normal.IsDigit(text[i]) {
			n++
		}
	}
	return n
}

// isVersion reports whether a chunk in lower case is a version: three or more numbers,
// or a "v" before at least one.
func isVersion(s string) bool {
	rest, marked := strings.CutPrefix(s, "v")
	if i := strings.IndexAny(rest, "-+"); i > 0 {
		rest = rest[:i]
	}
	parts := 0
	for part := range strings.SplitSeq(rest, ".") {
		if parts++; part == "" || len(part) > 9 || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return parts <= 6 && (parts > 2 || marked)
}

// withColons reads a time of day, a timestamp, or values with colons between them, such as
// auth.go:42 and localhost:8080.
func withColons(chunk, text string, found func(Value)) {
	if date, clock, ok := timestamp(text); ok {
		classify(date, "", found)
		classify(clock, "", found)
		return
	}
	if clock, ok := clockTime(text); ok {
		v := newValue(Number, chunk, keyOf(byID, clock))
		for i := strings.IndexByte(clock, ':') + 1; i < len(clock); i++ {
			if clock[i] == ':' || clock[i] == '.' { // without its seconds
				v.Indexed = append(v.Indexed, keyOf(byID, clock[:i]))
			}
		}
		found(v)
		return
	}
	pieces(chunk, found)
}

// pieces reads values with colons between them. A number is one whatever its size: it is a line, a
// column or a port.
func pieces(chunk string, found func(Value)) {
	for piece := range strings.SplitSeq(chunk, ":") {
		if n := len(piece); n > 0 && n < 3 && countDigits(piece) == n {
			bare := numberKeys(byNumber, piece)
			found(Value{Kind: Number, Text: piece, Lookup: bare,
				Indexed: append(numberKeys(byAmount, piece), bare...)})
			continue
		}
		classify(piece, "", found)
	}
}

// clockTime returns numbers with colons between them without leading zeros, such as 9:30 of 09:30.
func clockTime(text string) (clock string, ok bool) {
	clock = strings.TrimRight(text, "z")
	for piece := range strings.SplitSeq(clock, ":") {
		whole, _, _ := strings.Cut(piece, ".")
		if whole == "" || strings.Trim(piece, "0123456789.") != "" {
			return "", false
		}
	}
	if len(clock) > 1 && clock[0] == '0' && normal.IsDigit(clock[1]) {
		clock = clock[1:]
	}
	return clock, true
}

// timestamp returns the parts of a timestamp of RFC 3339 in lower case. The zone is left out.
func timestamp(text string) (date, clock string, ok bool) {
	const form = "dddd-dd-ddtdd:"
	if len(text) < len(form) {
		return "", "", false
	}
	for i := range len(form) {
		if form[i] == 'd' && !normal.IsDigit(text[i]) || form[i] != 'd' && text[i] != form[i] {
			return "", "", false
		}
	}
	date, clock, _ = strings.Cut(text, "t")
	if i := strings.IndexAny(clock, "+-"); i > 0 {
		clock = clock[:i]
	}
	return date, clock, true
}

// numberRange reads a range of numbers, such as 30-60 seconds.
func numberRange(chunk, next string, found func(Value)) {
	from, to, ok := strings.Cut(chunk, "-")
	if !ok || from == "" || to == "" || !normal.IsDigit(from[0]) || !normal.IsDigit(to[0]) {
		return
	}
	_, _, fromOK := parseNumber(normal.Lower(from))
	_, _, toOK := parseNumber(normal.Lower(to))
	if fromOK && toOK {
		classify(from, next, found)
		classify(to, next, found)
	}
}
