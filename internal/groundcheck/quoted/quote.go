package quoted

import (
	"regexp"
	"strings"
	"unicode"
)

// Opening begins every record.
const Opening = "[Record of earlier turns, kept by Killick:"

// Fold returns a text as a record may quote it: runs of white space, control characters and bidi
// controls are one space, what terminals do not show is left out, and the brackets of what imitates
// marks are round.
func Fold(s string) string {
	if strings.Contains(s, "\x1b") {
		s = codes.ReplaceAllString(colours.ReplaceAllString(s, ""), " ")
	}
	var b strings.Builder
	b.Grow(len(s))
	open := false // a space must precede the next character
	for _, r := range s {
		if blank(r) {
			open = b.Len() > 0
			continue
		}
		if open {
			b.WriteByte(' ')
			open = false
		}
		b.WriteRune(r)
	}
	return Rounded.Replace(b.String())
}

// The codes by which programs control a terminal: those that leave the cursor where it is, and all.
var (
	colours = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[mK]|\x1b\][^\x00-\x1f]*(?:\x07|\x1b\\)`)
	codes   = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-Z\\^-~])`)
)

// blank reports whether a character counts as a space.
func blank(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || Bidi(r) || r == 0xfeff
}

// Bidi reports whether a character changes the direction of the text after it.
func Bidi(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// Rounded replaces brackets as records do, so that both sides are the same.
var Rounded = strings.NewReplacer(
	"[Record of earlier turns, kept by Killick", "(Record of earlier turns, kept by Killick",
	"[End of the record.", "(End of the record.",
	"[…", "(…", "[Output masked to save", "(Output masked to save",
	"[Truncated on arrival", "(Truncated on arrival",
	"[Word for word the same", "(Word for word the same",
)

// Mark shows where a quote was cut.
const Mark = "[…]"

// Redaction matches what replaces a credential.
var Redaction = regexp.MustCompile(`\[redacted: [^\[\]\n]{1,60}\]`)

// gaps matches what may replace other text in a quote: a cut, or a redacted credential.
var gaps = regexp.MustCompile(` ?\[…\] ?|` + Redaction.String())

// IsCut reports whether a quote is marked as cut.
func IsCut(quote string) bool { return strings.Contains(quote, Mark) }

// Is reports whether a quote is all of a folded text, verbatim except for marked cuts and
// redacted credentials: the parts between them occur in the text in this order, from its beginning
// to its end.
func Is(quote, folded string) bool {
	at, from := 0, 0
	anchored := true // the next part must be exactly here
	for _, gap := range gaps.FindAllStringIndex(quote, -1) {
		part := Rounded.Replace(quote[at:gap[0]])
		end, ok := Find(folded, from, part, anchored)
		if !ok {
			return false
		}
		at, from, anchored = gap[1], end, false
	}
	last := Rounded.Replace(quote[at:])
	if anchored {
		return folded == last
	}
	return len(folded)-from >= len(last) && strings.HasSuffix(folded, last)
}

// Find returns where part ends in text after from.
func Find(text string, from int, part string, here bool) (end int, ok bool) {
	if here {
		return from + len(part), strings.HasPrefix(text[from:], part)
	}
	i := strings.Index(text[from:], part)
	return from + i + len(part), i >= 0
}

// IsAny reports whether a quote is of one of several texts.
func IsAny(quote string, texts ...string) bool {
	for _, text := range texts {
		if Is(quote, Fold(text)) {
			return true
		}
	}
	return false
}

// Contains reports whether a text contains a quote with its cuts.
func Contains(text, quote string) bool {
	from := 0
	for _, part := range gaps.Split(quote, -1) {
		end, ok := Find(text, from, Rounded.Replace(part), false)
		if !ok {
			return false
		}
		from = end
	}
	return true
}

// ContainsRedacted reports whether a text contains a part, except for redacted credentials.
func ContainsRedacted(text, part string) bool {
	from := 0
	at := 0
	for _, gap := range append(Redaction.FindAllStringIndex(part, -1),
		[]int{len(part), len(part)}) {
		end, ok := Find(text, from, part[at:gap[0]], false)
		if !ok {
			return false
		}
		at, from = gap[1], end
	}
	return true
}
