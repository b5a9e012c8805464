package fakeserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// deltaBytes is about how much text one event of a stream carries.
const deltaBytes = 16

// EncodeJSON encodes values of our own, which always can be.
func EncodeJSON(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// EachPiece cuts s into pieces for the events of a stream, never inside a character.
func EachPiece(s string, each func(string)) {
	for len(s) > 0 {
		n := min(deltaBytes, len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		each(s[:n])
		s = s[n:]
	}
}
