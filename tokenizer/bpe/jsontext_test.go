package bpe

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
)

// randomBody makes the body of a JSON string, escaped at random.
func randomBody(r *rand.Rand) string {
	var b strings.Builder
	for n := r.IntN(30); n >= 0; n-- {
		switch r.IntN(9) {
		case 0:
			b.WriteString([]string{`\n`, `\t`, `\r`, `\"`, `\\`, `\/`, `\b`, `\f`}[r.IntN(8)])
		case 1:
			fmt.Fprintf(&b, `\u%04x`, r.IntN(1<<16))
		case 2: // a pair, or halves that are none
			fmt.Fprintf(&b, `\u%04X\u%04x`, 0xD800+r.IntN(0x400), 0xD800+r.IntN(0x800))
		case 3: // bytes that are not UTF-8 are in JSON as they are
			b.WriteString([]string{"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80"}[r.IntN(4)])
		case 4:
			b.WriteString([]string{"word", " of", " text", "你好", "é", "😀"}[r.IntN(6)])
		default:
			text, _ := json.Marshal(fragments[r.IntN(len(fragments))])
			b.Write(text[1 : len(text)-1])
		}
	}
	return b.String()
}

// TestCountJSON: the body of a JSON string counts as what it decodes to.
func TestCountJSON(t *testing.T) {
	e := mustLoad(O200kBase)
	r := rand.New(rand.NewPCG(7, 8))
	for range 30_000 / corpus.Slower {
		body := randomBody(r)
		var text string
		if err := json.Unmarshal([]byte(`"`+body+`"`), &text); err != nil {
			t.Fatalf("%q is not JSON: %v", body, err)
		}
		if got, want := e.CountJSON([]byte(body)), e.CountString(text); got != want {
			t.Fatalf("%q: %d tokens, want %d", body, got, want)
		}
	}
}

// TestCountJSONLong holds the same for texts that are decoded in parts, wherever
// the parts end, and for those that cannot be cut.
func TestCountJSONLong(t *testing.T) {
	corpus.Sequential(t)
	for _, name := range allEncodings {
		e := mustLoad(name)
		for _, kind := range corpus.Kinds {
			text := corpus.Text(t, kind, 3*decodedSize, 31)
			for shift := range max(1, 6/corpus.Slower) {
				text := text[len(text)-2*decodedSize-shift*977:]
				text = strings.ToValidUTF8(text, "\uFFFD")
				body := rawjson.AppendEscaped([]byte(`\u0041\u00e9\ud83d\ude00`), text)
				if got, want := e.CountJSON(body), e.CountString("Aé😀"+text); got != want {
					t.Errorf("%s, %s: %d tokens, want %d", name, kind, got, want)
				}
			}
		}
		for _, unit := range []string{"a", " ", "\n", "\"", "\\", "好", "é", "1", "\u0301",
			"\xff", "a\n", "! ", "'s"} {
			text := strings.Repeat(unit, 2*decodedSize/len(unit)+7)
			body, _ := json.Marshal(text)
			if got, want := e.CountJSON(body[1:len(body)-1]), e.CountString(text); got != want {
				t.Errorf("%s, %q over and over: %d tokens, want %d", name, unit, got, want)
			}
		}
	}
}

// TestInvalid: a long text with bytes that are not UTF-8 counts as one with U+FFFD in their place.
func TestInvalid(t *testing.T) {
	e := mustLoad(O200kBase)
	text := corpus.Text(t, "chat", 3*decodedSize, 32)
	broken := []byte(text)
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		broken[r.IntN(len(broken))] = byte(0x80 + r.IntN(128))
	}
	if got, want := e.Count(broken), e.CountString(string([]rune(string(broken)))); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func TestUnescapeMalformed(t *testing.T) {
	e := mustLoad(O200kBase)
	for _, body := range []string{`\`, `\u`, `\u12`, `\uZZZZ`, `\ud83d\u`, `a\`, "\\\xff", `\x`} {
		if n := e.CountJSON([]byte(body)); n < 1 || n > len(body) {
			t.Errorf("%q, which is not JSON: %d tokens", body, n)
		}
	}
}
