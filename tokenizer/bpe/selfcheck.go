package bpe

import (
	"fmt"
	"sync"
)

// samples hold something of every branch of the patterns and of every way a
// piece is counted. On all of them the reference follows OpenAI's code.
var samples = []string{
	"", "a", " ", "Hello, world!", "The quick brown fox jumps over the lazy dog.\n",
	"HTTPServer parseJSONBody snake_case SCREAMING_CASE miXedCASE x1y2z3",
	"don't WE'RE they'll I'M you'Ve he'd it's 'tis 'S''s",
	"1 12 123 1234 12345678901234567890 3.14 1,000,000 ٣٤٥٦ ½Ⅷ",
	"func main() {\n\tif err := run(); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n",
	"  two  spaces\t\ttabs \n\n\n newlines \r\n\r\n   \n\t end   ",
	`{"id":"chatcmpl-9","n":[1,2.50,null,true],"text":"a\nb\u00e9"}`,
	"https://example.com/a/b.html?q=1&r=%20#x //comment\n/// ----==== *** }}}\n)",
	"<|endoftext|><|im_start|>system<|fim_prefix|>",
	"naïve café Straße Ελληνικά Русский язык ǅ ʰªº e\u0301\u0301A \u0301ABC",
	"你好，世界。我们正在测试分词器的正确性，看看结果如何。", "日本語のテキストとカタカナ", "한국어 문장을 세어 봅니다.",
	"हिन्दी में लिखा हुआ पाठ ไทยไม่มีช่องว่าง العربية עברית",
	"👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪👍🏽 \u200d\ufe0f\ufeff 𝒜𝓑𐐀𐐨 \u00a0\u3000\u2028x",
	"aGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0Lg== 3f786850e387550fdab836ed7e6dc881de23001b",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	"antidisestablishmentarianismpneumonoultramicroscopicsilicovolcanoconiosisxyzzyqwrtpsdfghjkl",
	"\xff\xc3 broken \xe2\x82 bytes \xed\xa0\x80", "\x00\x01\x7f",
}

// sampleTokens is how many tokens tiktoken-go counts in each of the samples, by
// the name of the ranks (see TestSampleTokens).
var sampleTokens = map[string][]int{
	O200kBase: {
		0, 1, 1, 4, 10, 21, 18, 35, 21, 15, 29, 25,
		19, 25, 18, 11, 9, 15, 47, 47, 12, 30, 6, 3,
	},
	Cl100kBase: {
		0, 1, 1, 4, 10, 21, 22, 39, 21, 15, 29, 25,
		20, 38, 24, 13, 15, 47, 62, 49, 12, 32, 7, 3,
	},
	P50kBase: {
		0, 1, 1, 4, 11, 26, 23, 34, 31, 23, 32, 33,
		22, 51, 57, 15, 30, 81, 61, 54, 23, 30, 7, 3,
	},
	R50kBase: {
		0, 1, 1, 4, 11, 26, 23, 34, 31, 27, 32, 33,
		22, 51, 57, 15, 30, 81, 61, 54, 23, 30, 7, 3,
	},
}

// check counts the samples. If a count differs from tiktoken-go's, the engine uses tiktoken-go from
// then on, and check returns which sample it was.
func (e *engine) check(ranks, pattern string) error {
	for i, text := range samples {
		got, want := e.count([]byte(text)), sampleTokens[ranks][i]
		if got == want {
			continue
		}
		ref, err := referenceFor(ranks, pattern)
		if err != nil {
			return err
		}
		e.fallback.Store(ref)
		return fmt.Errorf("checking %s: %d tokens in sample %d, want %d; "+
			"counting by the slow reference instead", ranks, got, i, want)
	}
	return nil
}

// checks holds the self-check of each file of ranks, run at most once.
var checks = func() map[string]func() error {
	m := make(map[string]func() error)
	for _, p := range published {
		m[p.ranks] = sync.OnceValue(func() error {
			e, err := engines[p.ranks]()
			if err != nil {
				return err
			}
			if err := e.check(p.ranks, p.pattern); err != nil {
				return err
			}
			e.prefixes()
			return nil
		})
	}
	return m
}()

// Prepare builds and checks an encoding, unless this process has done so before. It returns when
// everything that counting may need is built: for the largest encoding that takes about 50 ms of
// processor time and 17 MB of memory. An encoding that fails the check still counts correctly, but
// slowly; the error reports that.
func Prepare(name string) error {
	p, ok := published[name]
	if !ok {
		return unknownName(name)
	}
	return checks[p.ranks]()
}
