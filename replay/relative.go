package replay

import (
	"bytes"
	"slices"
	"strings"

	"killick/replay/search"
)

// A record may state a folder and name files relative to it. Since the agent can use their absolute
// paths, paths are completed before the search.

// statement and stated precede and follow the folder in a record.
var statement, stated = []byte("Paths in "), []byte("/ are written without it.")

// withWholePaths appends to a text the absolute forms of the paths that it names relative to a
// stated folder. Text that states no folder is returned as it is.
func withWholePaths(text []byte) []byte {
	dir, rest := statedFolder(text)
	if dir == nil {
		return text
	}
	return append(slices.Clip(text), wholePaths(dir, string(rest))...)
}

// statedFolder returns the folder that a text states, and the text after the statement. dir is nil
// if no folder is stated.
func statedFolder(text []byte) (dir, rest []byte) {
	_, rest, begins := bytes.Cut(text, statement)
	dir, rest, ends := bytes.Cut(rest, stated)
	if !begins || !ends || len(dir) > search.MaxReference || bytes.ContainsAny(dir, " \n") {
		return nil, nil
	}
	return dir, rest
}

// wholePaths returns the absolute forms of the paths in a text that may be relative to a folder,
// each preceded by a line feed.
func wholePaths(dir []byte, text string) (whole []byte) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !search.InName(r)
	}) {
		if word[0] != '/' && strings.ContainsAny(word, "./") {
			whole = append(append(append(append(whole, '\n'), dir...), '/'), word...)
		}
	}
	return whole
}
