package speech

import (
	"slices"
	"strings"
)

// element is the text from a known tag to its end tag.
type element struct {
	kind              SpanKind
	tag               string
	start, end        int
	inside, insideEnd int
}

// token is a tag or an end tag of a known name in a text.
type token struct {
	at, end int // where it begins and ends
	tag     tag
	closes  bool
}

// elementsOf returns the elements of known tags, including nested ones, in the order in which they
// begin. A tag without an end tag is plain text.
func elementsOf(text string) (found []element) {
	for name, tokens := range tokensOf(text) {
		found = appendElements(found, text, name, tokens)
	}
	slices.SortFunc(found, func(a, b element) int { return a.start - b.start })
	return found
}

// tokensOf returns the tags of each known name, in order.
func tokensOf(text string) map[string][]token {
	tokens := map[string][]token{}
	for at := 0; at < len(text); at++ {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			return tokens
		}
		at += next
		rest := text[at+1:]
		if strings.HasPrefix(rest, "/") {
			name := tagName(rest[1:])
			end := at + len("</") + len(name)
			if key, ok := endName(name); ok && strings.HasPrefix(text[end:], ">") {
				tokens[key] = append(tokens[key], token{at: at, end: end + 1, closes: true})
			}
			continue
		}
		name := tagName(rest)
		if name == "" {
			continue
		}
		t, key, ok := tagAt(text[at:], name)
		end := tagEnd(text, at+1+len(name))
		if ok && end > 0 {
			tokens[key] = append(tokens[key], token{at: at, end: end, tag: t})
		}
	}
	return tokens
}

// tagEnd returns the end of the tag whose name ends at text[at], 0 if it is not an opening tag:
// attributes are on one line, and a self-closing tag contains nothing.
func tagEnd(text string, at int) int {
	for i := at; i < min(len(text), at+maxTag); i++ {
		switch c := text[i]; {
		case c == '>' && text[i-1] == '/', c == '<', c == '\n',
			i == at && c != '>' && c != ' ' && c != '\t':
			return 0
		case c == '>':
			return i + 1
		}
	}
	return 0
}

// tagName returns the name at the beginning of a tag, "" if it has none.
func tagName(s string) string {
	n := 0
	for n < len(s) && n < maxTagName &&
		(isLetter(s[n]) || n > 0 && (isDigit(s[n]) || s[n] == '-' || s[n] == '_')) {
		n++
	}
	return s[:n]
}

const (
	maxTagName = 64
	maxTag     = 1024 // bytes of a tag with its attributes
)

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// appendElements pairs the tags of one name with their end tags, innermost first.
func appendElements(found []element, text, name string, tokens []token) []element {
	// for a tag, its end tag or -1; for an end tag, its tag
	pair := make([]int, len(tokens))
	var open []int
	last := -1
	for i := range tokens {
		pair[i] = -1
		if !tokens[i].closes {
			open = append(open, i)
			continue
		}
		last = i
		if n := len(open); n > 0 {
			pair[i], pair[open[n-1]] = open[n-1], i
			open = open[:n-1]
		}
	}
	next := -1 // the first end tag after token i
	for i := len(tokens) - 1; i >= 0; i-- {
		t := &tokens[i]
		if t.closes {
			next = i
			continue
		}
		end := pair[i]
		hides := t.tag.kind == Block || t.tag.kind == Document
		switch {
		case t.tag.output && last > i:
			end = last // the output of a command may contain the end tag
		case end >= 0 && hides:
			// An unpaired end tag at the end of a line belongs to the content.
			for end+1 < len(tokens) && tokens[end+1].closes && pair[end+1] < 0 &&
				endsLine(text, tokens[end+1].end) {
				end++
			}
		case end < 0 && hides && startsLine(text, t.at):
			end = next // the content mentions its own tag
		}
		if end >= 0 {
			found = append(found, element{
				kind: t.tag.kind, tag: name, start: t.at, inside: t.end, insideEnd: tokens[end].at,
				end: tokens[end].end,
			})
		}
	}
	return found
}

// startsLine reports whether only space or another tag precedes text[at] on its line.
func startsLine(text string, at int) bool {
	before := strings.TrimRight(text[max(0, at-maxTag):at], " \t")
	return before == "" || before[len(before)-1] == '\n' || before[len(before)-1] == '>'
}

// endsLine reports whether only space or another tag follows text[at] on its line.
func endsLine(text string, at int) bool {
	after := strings.TrimLeft(text[at:min(len(text), at+maxTag)], " \t\r")
	return after == "" || after[0] == '\n' || after[0] == '<'
}
