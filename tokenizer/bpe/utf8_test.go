package bpe

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// TestValid compares valid with utf8.Valid: all runes of two and three bytes and
// what is nearly one, at any place of a text.
func TestValid(t *testing.T) {
	check := func(text []byte) {
		if got, want := valid(text), utf8.Valid(text); got != want {
			t.Fatalf("valid(%q) = %v, want %v", text, got, want)
		}
	}
	for b := range 1 << 16 {
		check([]byte{byte(b >> 8), byte(b), 0xD0, 0xB0, 0xD0, 0xB1, 0xD1, 0x80})
		check([]byte{0xD0, 0xB0, 0xD0, 0xB1, 0xD1, 0x80, byte(b >> 8), byte(b)})
		check([]byte{0xE4, 0xBD, 0xA0, byte(b >> 8), byte(b), 0xA0, 'a', 'b'})
		check([]byte{byte(b >> 8), byte(b), 0x80, 0xE4, 0xBD, 0xA0, 0xE4, 0xBD, 0xA0})
	}
	r := rand.New(rand.NewPCG(2, 3))
	for range 100_000 {
		var text []byte
		for range 1 + r.IntN(12) {
			text = append(text, fragments[r.IntN(len(fragments))]...)
		}
		if r.IntN(2) == 0 {
			text[r.IntN(len(text))] = byte(r.IntN(256))
		}
		check(text)
	}
}
