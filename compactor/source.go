package compactor

import (
	"strings"

	"killick/chat"
)

// source is what a span of turns names: what a model may speak of. It is
// filled in one pass over the text and asked by hashing, so neither a long
// conversation nor a long answer costs more than its length.
type source struct {
	refs  map[string]bool // references and what else has a digit, also their ends and beginnings at a slash
	words map[string]bool // runs of letters, digits and underscores that references are made of
	said  map[string]bool // sentences of the user and the assistant
}

// readSource reads the messages with their calls, and what is known of the turns
// before them.
func readSource(msgs []chat.Message, soFar string) *source {
	s := &source{refs: map[string]bool{}, words: map[string]bool{}, said: map[string]bool{}}
	s.read(soFar)
	for i := range msgs {
		m := &msgs[i]
		text := m.Text()
		s.read(text)
		s.read(m.Name())
		if m.Role() == chat.User || m.Role() == chat.Assistant {
			sentences(text, func(sentence string) bool {
				s.said[oneLine(sentence, maxEntry)] = true
				return true
			})
		}
		for _, made := range m.ToolCalls() {
			s.read(made.Name)
			args := made.Arguments.Text()
			if made.Arguments.Kind() == chat.Object {
				args = string(made.Arguments)
			}
			s.read(unescapeBreaks.Replace(args))
		}
	}
	return s
}

// unescapeBreaks parts the words of arguments, which are JSON in JSON.
var unescapeBreaks = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\/`, "/")

func (s *source) read(text string) {
	eachWord(text, func(word string) {
		telling := eachPlain(word, func(plain string) {
			s.words[plain] = true
			if n := leadingDigits(plain); n > 0 && n < len(plain) {
				s.words[plain[:n]] = true // 30s tells of 30
			}
		})
		if !telling {
			return
		}
		word = bare(word)
		s.refs[word] = true
		for i := 1; i+1 < len(word); i++ {
			if c := word[i]; c == '/' || c == '?' || c == '#' {
				s.refs[word[:i]] = true
				s.refs[word[i+1:]] = true
			}
		}
	})
}

// quotes tells whether the text is a sentence of the user or the assistant, word
// for word.
func (s *source) quotes(text string) bool { return s.said[text] }

// lacks tells whether the text names something that the source does not: a
// path, an id, a symbol, a URL, a version, a number of two digits and more.
func (s *source) lacks(text string) bool {
	lacking := false
	eachWord(text, func(word string) {
		lacking = lacking || !s.knows(word)
	})
	return lacking
}

func (s *source) knows(word string) bool {
	var seen byteClasses
	for i := range len(word) {
		seen.add(word[i])
	}
	kind := classifyRef(word, seen)
	low := bare(word)
	if s.refs[low] {
		return true
	}
	switch kind {
	case refURL:
		return false
	case refPath:
		if alternatives(word) {
			return true
		}
		if seen.slash > 0 || fileLike(low) {
			return false
		}
	case refNone:
		if seen.digit < 2 {
			return true
		}
		if seen.dot > 0 { // a version or a fraction
			return false
		}
	}
	known := true
	eachPlain(word, func(plain string) {
		if known && (kind != refNone || digits(plain) >= 2) {
			n := leadingDigits(plain)
			known = s.words[plain] || n > 0 && n < len(plain) && digits(plain) == n && s.words[plain[:n]]
		}
	})
	return known
}

// alternatives tells "read/write" from a path: plain words, one slash, no dot.
func alternatives(word string) bool {
	return strings.Count(word, "/") == 1 && !strings.ContainsAny(word, "._0123456789") && word[0] != '/'
}

// fileLike tells "config.yaml" from "handler.Login".
func fileLike(low string) bool {
	dot := strings.LastIndexByte(low, '.')
	return dot > 0 && len(low)-dot-1 <= 4
}

// eachWord calls yield with the runs of bytes that references are made of, no
// longer than references are.
func eachWord(text string, yield func(word string)) {
	for i := 0; i < len(text); {
		if !wordByte[text[i]] {
			i++
			continue
		}
		start := i
		for i < len(text) && wordByte[text[i]] {
			i++
		}
		if i-start > maxRefLen+8 {
			continue
		}
		if word := trimRef(text[start:i]); len(word) >= 2 {
			yield(word)
		}
	}
}

// plainByte tells the bytes of plain words.
var plainByte = func() (t [256]bool) {
	for c := range t {
		t[c] = wordByte[c] && (isLetter(byte(c)) || '0' <= c && c <= '9' || c == '_')
	}
	return t
}()

// eachPlain calls yield with the plain words of a word, in lower case, and tells
// whether the word is more than one of them or has a digit.
func eachPlain(word string, yield func(string)) (telling bool) {
	for i := 0; i < len(word); {
		if !plainByte[word[i]] {
			telling = true
			i++
			continue
		}
		start := i
		for i < len(word) && plainByte[word[i]] {
			telling = telling || '0' <= word[i] && word[i] <= '9'
			i++
		}
		yield(strings.ToLower(word[start:i]))
	}
	return telling
}

// bare is a reference in lower case without what it may be written with: "./"
// before it, the line behind it, the scheme of a URL.
func bare(word string) string {
	word = strings.ToLower(strings.TrimRight(word, "/"))
	word = strings.TrimPrefix(word, "./")
	if _, rest, ok := strings.Cut(word, "://"); ok {
		return rest
	}
	word = strings.TrimLeft(word, "/~")
	if i := strings.IndexByte(word, ':'); i > 0 && i+1 < len(word) && word[i+1] >= '0' && word[i+1] <= '9' && strings.ContainsAny(word[:i], "./") {
		word = word[:i] // auth.go:42
	}
	return word
}

func leadingDigits(s string) (n int) {
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

func digits(s string) (n int) {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}
