package value

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/probe/normal"
)

// In returns the typed values of a text.
func In(text string) (all []Value) {
	Each(text, func(v Value) {
		if len(v.Lookup) > 0 {
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
			if code = normal.OneLine(code); utf8.RuneCountInString(code) > 1 && !yield(code) {
				return
			}
		}
	}
}

// Each calls found for every value of text, including small numbers, which have no
// look-up keys.
func Each(text string, found func(Value)) {
	EachAt(normal.Plain(text), func(_ int, v Value) { found(v) })
}

// EachAt is like Each, with the position of each value. text is plain.
func EachAt(text string, found func(at int, v Value)) {
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
				normal.IsDigit(text[i-1]) && normal.IsDigit(text[i+1])
			return c <= ' ' || c == 0x7f || !inNumber && strings.IndexByte(separators, c) >= 0, 1
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		sign := r == '€' || r == '£' || r == '¥'
		return !sign && (normal.Unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r)), size
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
