package reference

import "strings"

// parts calls yield with the references in a compound word such as "limit=max_items" or "a.go#L12".
func parts(whole string, yield func(word string, kind Kind)) {
	for _, part := range strings.FieldsFunc(whole, func(r rune) bool {
		return jointByte[byte(r)]
	}) {
		if word := trim(withoutLine(part)); len(word) >= 3 {
			if kind := classify(word, count(word)); kind != None {
				yield(word, kind)
			}
		}
	}
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

// jointByte is the set of bytes that join words, except in a URL.
var jointByte = func() (t [256]bool) {
	for _, c := range "=&?#+%" {
		t[c] = true
	}
	return t
}()

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
