package rawjson

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// Strings of several blocks may have, anywhere, a byte that ends the string, must be escaped or is
// forbidden.
func TestLongStringsAgreeWithEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	pieces := []string{`\\`, `\"`, `\n`, `\u00e9`, `\ud83d\ude00`, "é", "x", "#", "]", "!", "\x7f"}
	bad := []string{`\`, `\x`, `\u12g4`, `"`, "\x1f", "\n", "\x00"}
	valid := 0
	for range 20_000 {
		var b strings.Builder
		b.WriteByte('"')
		most := 1 + r.IntN(300)
		for b.Len() < most {
			if r.IntN(3) > 0 {
				b.WriteString(strings.Repeat("a", r.IntN(70)))
			}
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(40) == 0 {
				b.WriteString(bad[r.IntN(len(bad))])
			}
		}
		if r.IntN(8) > 0 {
			b.WriteByte('"')
		}
		text := b.String()
		end, err := Skip([]byte(text), 0)
		if whole := err == nil && end == len(text); whole != json.Valid([]byte(text)) {
			t.Fatalf("%q: read up to %d, %v", text, end, err)
		}
		if err == nil {
			valid++
			again, err := Skip([]byte(text[:end]+`,"`+strings.Repeat("b", 80)), 0)
			if err != nil || again != end {
				t.Fatalf("%q ends at %d, want %d: %v", text, again, end, err)
			}
		}
	}
	if valid < 2000 || valid > 18_000 {
		t.Errorf("%d of 20,000 strings are valid", valid)
	}
}
