package probe

import (
	"strconv"
	"strings"
)

// classifyNumber reads a version or a number with its unit.
func classifyNumber(chunk, text, next string, found func(Value)) bool {
	if isVersion(text) {
		bare := strings.TrimPrefix(text, "v")
		v := newValue(Version, chunk, keyOf(byID, "v"+bare))
		for i := 1; i < len(bare); i++ { // the release of a patch version
			if bare[i] == '.' || bare[i] == '-' || bare[i] == '+' {
				v.indexed = append(v.indexed, keyOf(byID, "v"+bare[:i]))
				v.indexed = append(v.indexed, numberKeys(byNumber, bare[:i])...)
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
		v.indexed = append(v.indexed, bare)
		switch {
		case u.dim != "":
			amount := keyOf(byAmount, u.dim+format(n*u.factor))
			v.indexed = append(v.indexed, amount)
			v.lookup = append(v.lookup, amount, plain)
		case countDigits(text) > 2 || strings.ContainsAny(text, ".,#") || n >= 1000:
			v.indexed = append(v.indexed, plain)
			v.lookup = append(v.lookup, bare, keyOf(byID, "v"+text))
		default:
			v.indexed = append(v.indexed, plain)
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

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
