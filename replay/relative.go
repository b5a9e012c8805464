package replay

import (
	"bytes"
	"strings"
)

// A record may name files relative to a folder that it states. The agent can then use an absolute
// path, so paths are completed before the search.

// statement and stated enclose the folder in a record.
var statement, stated = []byte("Paths in "), []byte("/ are written without it.")

// withWholePaths appends to a text the absolute forms of the paths that it names relative to a
// stated folder. Text that states no folder is returned as it is.
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
