package probe

import (
	"hash/maphash"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a typed value.
type Kind string

// The kinds of typed values: text that is never paraphrased. Small numbers without a unit
// do not count, since summaries contain counts of their own.
const (
	Path       Kind = "path"       // a file or folder, a dotted name
	Number     Kind = "number"     // with a unit, or of three digits and more
	Version    Kind = "version"    //
	Identifier Kind = "identifier" // a hash, an id, a name with a digit or an underscore in it
	URL        Kind = "url"        //
	Code       Kind = "code"       // text between backticks
)

// Value is a typed value in a text.
type Value struct {
	Kind Kind
	Text string // verbatim

	lookup  []key // a text with the value is indexed under one of them
	indexed []key // under which a text with the value is indexed
	parents []key // the folders of a path or address, under which a text is indexed too
}

// newValue returns a value that is looked up by its key alone.
func newValue(kind Kind, text string, k key) Value {
	return Value{Kind: kind, Text: text, lookup: []key{k}, indexed: []key{k}}
}

// key is the look-up key of a value: a hash of its class and its normal form.
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
		if len(v.lookup) > 0 {
			all = append(all, v)
		}
	})
	for code := range codeSpans(text) {
		all = append(all, Value{Kind: Code, Text: code})
	}
	return all
}

// codeSpans yields the text between single backticks, as one line.
func codeSpans(text string) iter.Seq[string] {
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

// eachValue calls found for every value of text, including small numbers, which have no
// look-up keys.
func eachValue(text string, found func(Value)) {
	eachValueAt(plain(text), func(_ int, v Value) { found(v) })
}

// eachValueAt is like eachValue, with the position of each value. text is plain.
func eachValueAt(text string, found func(at int, v Value)) {
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
		classify(text[start:end], next, func(v Value) { found(start, v) })
	}
}

// separators are characters that never occur inside a value, except for addresses.
const separators = "\"'`<>()[]{}|,;=*!?&^"

// nextChunk returns the next run without spaces and separators. Letters of scripts
// without spaces separate too.
func nextChunk(text string, at int) (start, end int) {
	separates := func(i int) (bool, int) {
		if c := text[i]; c < utf8.RuneSelf {
			inNumber := c == ',' && i > at && i+1 < len(text) &&
				isDigit(text[i-1]) && isDigit(text[i+1])
			return c <= ' ' || c == 0x7f || !inNumber && strings.IndexByte(separators, c) >= 0, 1
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		sign := r == '€' || r == '£' || r == '¥'
		return !sign && (unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r)), size
	}
	start = at
	for start < len(text) {
		ends, size := separates(start)
		if !ends {
			break
		}
		start += size
	}
	end = start
	for end < len(text) {
		ends, size := separates(end)
		if ends {
			break
		}
		if text[end] == '/' && end > start && strings.HasSuffix(text[start:end], ":/") {
			return start, linkEnd(text, end)
		}
		end += size
	}
	return start, end
}

// linkEnd returns where an address ends.
func linkEnd(text string, end int) int {
	const marks = "\"'`<>()[]{}|\\^"
	for end < len(text) && text[end] > ' ' && text[end] < utf8.RuneSelf &&
		strings.IndexByte(marks, text[end]) < 0 {
		end++
	}
	return end
}
