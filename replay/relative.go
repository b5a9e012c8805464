package replay

import (
	"bytes"
	"strings"
)

// A record may name files relative to a folder that it states. A path that a turn uses
// whole is at hand then too, so it is put together before it is looked for.

// statement is how a record states the folder.
var statement, stated = []byte("Paths in "), []byte("/ are written without it.")

// withWholePaths returns a text with the paths that it names relative to a stated
// folder whole behind it. Another text is returned as it is.
func withWholePaths(text []byte) []byte {
	_, rest, begins := bytes.Cut(text, statement)
	dir, rest, ends := bytes.Cut(rest, stated)
	if !begins || !ends || len(dir) > mostReference || bytes.ContainsAny(dir, " \n") {
		return text
	}
	whole := append([]byte{}, text...)
	for _, word := range strings.FieldsFunc(string(rest), func(r rune) bool {
		return r >= 128 || referenceByte[byte(r)]&inName == 0
	}) {
		if word[0] != '/' && strings.ContainsAny(word, "./") {
			whole = append(append(append(append(whole, '\n'), dir...), '/'), word...)
		}
	}
	return whole
}
