package probe

import (
	"hash/maphash"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a typed value is.
type Kind string

// The kinds of typed values: what nobody paraphrases. A small number without a unit
// is none, since summaries count by themselves.
const (
	Path       Kind = "path"       // a file or folder, a dotted name
	Number     Kind = "number"     // with a unit, or of three digits and more
	Version    Kind = "version"    //
	Identifier Kind = "identifier" // a hash, an id, a name with a digit or an underscore in it
	URL        Kind = "url"        //
	Code       Kind = "code"       // what stands between backticks
)

// Value is a typed value as it stands in a text.
type Value struct {
	Kind Kind
	Text string // as it is spelled

	keys []key // one of them is in whatever holds the value
	wide []key // what a text with the value holds
}

// key is what a value is looked up by: a hash of its kind and its normal form.
type key uint64

var seed = maphash.MakeSeed()

func keyOf(class byte, text string) key {
	return key(maphash.String(seed, text) ^ uint64(class)*0x9e3779b97f4a7c15)
}

// The classes of keys.
const (
	byPath   = 'p' // what a path ends in, from the beginning of one of its parts
	byLink   = 'u' // what an address begins with
	byID     = 'i'
	byNumber = 'v' // a number, whatever its unit
	byAmount = 'n' // a number with its unit, or one that has no known unit
)

// Values returns the typed values of a text.
func Values(text string) (all []Value) {
	eachValue(text, func(v Value) {
		if len(v.keys) > 0 {
			all = append(all, v)
		}
	})
	for code := range codeSpans(text) {
		all = append(all, Value{Kind: Code, Text: code})
	}
	return all
}

// codeSpans yields what stands between single backticks, as one line.
func codeSpans(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for {
			_, rest, open := strings.Cut(text, "`")
			code, after, closed := strings.Cut(rest, "`")
			if !open || !closed {
				return
			}
			text = after
			if code = oneLine(code); utf8.RuneCountInString(code) > 1 && !yield(code) {
				return
			}
		}
	}
}

// eachValue calls found for every value of text, small numbers among them: those
// have no keys to be looked up by.
func eachValue(text string, found func(Value)) {
	for at := 0; at < len(text); {
		start, end := nextChunk(text, at)
		if start == len(text) {
			return
		}
		at = end
		next := ""
		if unitStart, unitEnd := nextChunk(text, end); unitStart-end == 1 && text[end] == ' ' {
			next = text[unitStart:unitEnd]
		}
		classify(text[start:end], next, found)
	}
}

// parting are the marks that no value has inside, but for an address.
const parting = "\"'`<>()[]{}|,;=*!?&^"

// nextChunk returns the next run without blanks and parting marks. Letters of a
// script without blanks part too.
func nextChunk(text string, at int) (start, end int) {
	part := func(i int) (bool, int) {
		if c := text[i]; c < utf8.RuneSelf {
			comma := c == ',' && i > at && i+1 < len(text) && isDigit(text[i-1]) && isDigit(text[i+1])
			return c <= ' ' || c == 0x7f || !comma && strings.IndexByte(parting, c) >= 0, 1
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		sign := r == '€' || r == '£' || r == '¥'
		return !sign && (unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r)), size
	}
	start = at
	for start < len(text) {
		parts, size := part(start)
		if !parts {
			break
		}
		start += size
	}
	end = start
	for end < len(text) {
		parts, size := part(end)
		if parts {
			break
		}
		if text[end] == '/' && end > start && strings.HasSuffix(text[start:end], ":/") {
			return start, linkEnd(text, end)
		}
		end += size
	}
	return start, end
}

func linkEnd(text string, end int) int {
	for end < len(text) && text[end] > ' ' && text[end] < utf8.RuneSelf && strings.IndexByte("\"'`<>()[]{}|\\^", text[end]) < 0 {
		end++
	}
	return end
}

// classify reads one chunk; next is the one behind it, for a unit.
func classify(chunk, next string, found func(Value)) {
	chunk = strings.TrimRight(strings.TrimLeft(chunk, "-:_~"), ".:-_~")
	if len(chunk) < 1 || len(chunk) > 1000 {
		return
	}
	text := lower(chunk)
	switch {
	case strings.Contains(text, "://"):
		found(link(chunk, text))
	case strings.ContainsAny(text, `/\`):
		path(chunk, text, found)
	case strings.Contains(text, ":"):
		for piece := range strings.SplitSeq(chunk, ":") {
			classify(piece, "", found)
		}
	case amount(chunk, text, next, found):
	case dotted(text):
		found(pathValue(chunk, text))
	case identifies(text):
		v := Value{Kind: Identifier, Text: chunk, keys: []key{keyOf(byID, text)}, wide: []key{keyOf(byID, text)}}
		if isHash(text) {
			for n := leastHash; n < min(len(text), maxHash); n++ {
				v.wide = append(v.wide, keyOf(byID, text[:n]))
			}
		}
		found(v)
	}
}

func link(chunk, text string) Value {
	_, rest, _ := strings.Cut(text, "://")
	rest = strings.TrimRight(strings.TrimPrefix(rest, "www."), "/?#,;")
	v := Value{Kind: URL, Text: chunk, keys: []key{keyOf(byLink, rest)}, wide: []key{keyOf(byLink, rest)}}
	for i := 0; i < len(rest); i++ {
		if strings.IndexByte("/?#:", rest[i]) >= 0 && len(v.wide) < maxParts {
			v.wide = append(v.wide, keyOf(byLink, rest[:i]))
		}
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	v.wide = append(v.wide, pathValue(rest, rest).wide...) // named without its scheme
	return v
}

// maxParts bounds the parts of a path or address that are looked up apart.
const maxParts = 24

// path tells a path from words that a slash sets apart ("read/write").
func path(chunk, text string, found func(Value)) {
	if i := strings.IndexByte(text, ':'); i > 1 { // auth.go:42
		for piece := range strings.SplitSeq(chunk[i+1:], ":") {
			classify(piece, "", found)
		}
		chunk, text = chunk[:i], text[:i]
	}
	clean := strings.ReplaceAll(text, `\`, "/")
	rooted := strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, ".") || strings.HasPrefix(clean, "~") || strings.HasSuffix(clean, "/")
	clean = strings.Trim(strings.TrimPrefix(clean, "./"), "/.")
	if !rooted && strings.Count(clean, "/") == 1 && !strings.ContainsAny(clean, "._-@#0123456789") || clean == "" {
		return
	}
	if strings.Trim(clean, "0123456789/.") == "" { // 1/2, 20/05/2024
		if !rooted && len(clean) > 4 {
			found(Value{Kind: Identifier, Text: chunk, keys: []key{keyOf(byID, clean)}, wide: []key{keyOf(byID, clean)}})
		}
		return
	}
	found(pathValue(chunk, clean))
}

// pathValue is known by its whole and stands wherever a path ends in it.
func pathValue(chunk, clean string) Value {
	v := Value{Kind: Path, Text: chunk, keys: []key{keyOf(byPath, clean)}, wide: []key{keyOf(byPath, clean)}}
	for i := len(clean) - 1; i > 0 && len(v.wide) < maxParts; i-- {
		if clean[i-1] == '/' {
			v.wide = append(v.wide, keyOf(byPath, clean[i:]))
		}
	}
	for i := 1; i < len(clean) && len(v.wide) < 2*maxParts; i++ { // its folders
		if clean[i] == '/' {
			v.wide = append(v.wide, keyOf(byPath, clean[:i]))
		}
	}
	return v
}

// dotted reports whether a chunk is a file or a dotted name: letters or digits on
// both sides of a point, two at least behind the last one.
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
	return strings.IndexFunc(text, func(r rune) bool {
		return r >= utf8.RuneSelf || r != '.' && r != '_' && r != '-' && r != '@' && r != '#' && r != '+' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0 && strings.Trim(text, "0123456789.") != ""
}

// identifies reports whether a chunk is spelled as no word is: a hash, or letters
// with digits, an underscore or an at sign. What begins with digits counts or ranks.
func identifies(text string) bool {
	if isHash(text) {
		return true
	}
	digits, letters, marks := 0, 0, 0
	for i, r := range text {
		switch {
		case r < utf8.RuneSelf && isDigit(byte(r)):
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
	return digits > 0 && letters > 1 && digits+letters+marks >= 4 && !isDigit(text[0])
}

// A commit's hash is shortened to seven digits and more.
const (
	leastHash = 7
	maxHash   = 16
)

// isHash reports whether text looks like a commit's hash, a digest or a UUID.
func isHash(text string) bool {
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
	return digits > 0 && letters > 0 && digits+letters >= leastHash
}

// amount reads a version or a number with its unit.
func amount(chunk, text, next string, found func(Value)) bool {
	if isVersion(text) {
		bare := strings.TrimPrefix(text, "v")
		v := Value{Kind: Version, Text: chunk, keys: []key{keyOf(byID, "v"+bare)}, wide: []key{keyOf(byID, "v"+bare)}}
		for i := 1; i < len(bare); i++ { // the release that a patch belongs to
			if bare[i] == '.' || bare[i] == '-' || bare[i] == '+' {
				v.wide = append(v.wide, keyOf(byID, "v"+bare[:i]))
				v.wide = append(v.wide, numberKeys(byNumber, bare[:i])...)
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
		if known, isUnit := units[lower(strings.TrimRight(next, "."))]; isUnit {
			u, chunk = known, chunk+" "+next
		}
	}
	v := Value{Kind: Number, Text: chunk}
	for _, n := range readings {
		bare := keyOf(byNumber, format(n))
		plain := keyOf(byAmount, format(n))
		v.wide = append(v.wide, bare)
		switch {
		case u.dim != "":
			amount := keyOf(byAmount, u.dim+format(n*u.factor))
			v.wide = append(v.wide, amount)
			v.keys = append(v.keys, amount, plain)
		case countDigits(text) > 2 || strings.ContainsAny(text, ".,#") || n >= 1000:
			v.wide = append(v.wide, plain)
			v.keys = append(v.keys, bare, keyOf(byID, "v"+text))
		default:
			v.wide = append(v.wide, plain)
		}
	}
	found(v)
	return true
}

func numberKeys(class byte, digits string) (keys []key) {
	for _, n := range readDigits(digits) {
		keys = append(keys, keyOf(class, format(n)))
	}
	return keys
}

func countDigits(text string) (n int) {
	for i := 0; i < len(text); i++ {
		if isDigit(text[i]) {
			n++
		}
	}
	return n
}

func format(n float64) string { return strconv.FormatFloat(n, 'g', 12, 64) }
