package bpe

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"killick/tokenizer/internal/corpus"
)

// reference returns tiktoken-go's encoder, built once.
func reference(t testing.TB, name string) *tiktoken.Tiktoken {
	t.Helper()
	referenceMu.Lock()
	defer referenceMu.Unlock()
	if name == O200kHarmony {
		name = O200kBase
	}
	if r := references[name]; r != nil {
		return r
	}
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	r, err := tiktoken.GetEncoding(name)
	if err != nil {
		t.Fatalf("building the reference: %v", err)
	}
	references[name] = r
	return r
}

var (
	referenceMu sync.Mutex
	references  = map[string]*tiktoken.Tiktoken{}
)

var allEncodings = []string{O200kBase, Cl100kBase, P50kBase, R50kBase}

// known reports whether text meets the defect of the reference that we do not
// share: OpenAI's code folds a long s to s in contractions.
func known(text string) bool { return strings.Contains(text, "'ſ") }

// fragments are what random texts are put together from.
var fragments = []string{
	"the", "quick", " brown", "Fox", "HTTPServer", "getElementById", "snake_case_name",
	"ALLCAPS", "miXeD",
	" ", "  ", "   ", "\t", "\t\t", "\n", "\n\n", "\r\n", "\r\n\r\n", " \n", "\n ", "\u00a0",
	"\u3000", "\u2028", "\v", "\f", "\u0085",
	"'s", "'S", "'t", "'T", "'re", "'RE", "'Re", "'ve", "'vE", "'m", "'LL", "'ll", "'lL", "'d",
	"'", "''", "’s",
	"1", "12", "123", "1234", "1234567890", "٣٤٥", "½", "Ⅷ", "²", "一二三",
	".", ",", "!", "?!", "...", "/", "//", "/\n", "://", "-", "--", "----------------", "====",
	"#", "##", "{}", "});\n", "\\n", "\"", "<|endoftext|>", "<|im_start|>", "<|fim_prefix|>",
	"é", "e\u0301", "\u0301", "\u0301A", "\u0301\u0301", "ß", "ǅ", "ʰ", "ª", "Ａ", "ａ", "你好",
	"世界", "日本語のテキスト", "こんにちは", "한국어", "ไทย",
	"العربية", "हिन्दी", "עברית", "Ελληνικά", "Русский",
	"😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏽", "\u200d",
	"\ufe0f", "\ufeff", "\u202e", "𝒜", "𐐀", "𐐨",
	"\U0001f468",
	"\xff", "\xc3", "\xe2\x82", "\xf0\x9f", "\xed\xa0\x80", "\x80\x80", "\x00", "\x01", "\x7f",
	"\ufffd",
	"aaaaaaaa", "zzzzzzzzzzzzzzzzzzzz", "        ", "0000000000000000", "lorem ipsum",
	"func main() {\n\treturn\n}\n", `{"a": [1, 2.5, null], "b": "c\n"}`,
	"ſ", "'ſ", "K", "İ", "ı",
}

// randomText puts a text together at random.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for n := 1 + r.IntN(12); n > 0; n-- {
		switch r.IntN(6) {
		default:
			b.WriteString(fragments[r.IntN(len(fragments))])
		case 0: // any rune
			b.WriteRune(rune(r.IntN(unicode.MaxRune + 1)))
		case 1: // runes of the lower planes, where the letters are
			for k := r.IntN(6); k >= 0; k-- {
				b.WriteRune(rune(r.IntN(0x3100)))
			}
		case 2: // printable ASCII
			for k := r.IntN(12); k >= 0; k-- {
				b.WriteByte(byte(' ' + r.IntN(95)))
			}
		}
	}
	return b.String()
}

func TestReference(t *testing.T) {
	texts := 120_000 / corpus.Slower
	for _, name := range allEncodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, ref := mustLoad(name), reference(t, name)
			r := rand.New(rand.NewPCG(1, 2))
			n := texts
			if name == P50kBase || name == R50kBase {
				n /= 4
			}
			for range n {
				text := randomText(r)
				if known(text) {
					continue
				}
				if got, want := e.CountString(text), len(ref.EncodeOrdinary(text)); got != want {
					t.Fatalf("%q: %d tokens, want %d%s", text, got, want, pieces(e, text))
				}
			}
		})
	}
}

// pieces shows how a text was cut, for the message of a failure.
func pieces(e *Encoding, text string) string {
	valid := []byte(strings.ToValidUTF8(text, "\uFFFD"))
	if !utf8.ValidString(text) {
		valid, _ = unescapeInto(make([]byte, 0, 4*len(text)), []byte(text), false)
	}
	var b strings.Builder
	for i := 0; i < len(valid); {
		j := e.engine.split(valid, i)
		fmt.Fprintf(&b, " %q", valid[i:j])
		i = j
	}
	return "; cut as" + b.String()
}

// mustLoad loads one of the encodings named in this package.
func mustLoad(name string) *Encoding {
	e, err := Load(name)
	if err != nil {
		panic(err)
	}
	return e
}
