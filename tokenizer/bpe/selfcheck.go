package bpe

import (
	"fmt"
	"log/slog"
	"sync"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
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

// referenceFor builds tiktoken-go's encoder for the ranks of that name. Unlike
// its GetEncoding it leaves nothing behind in tiktoken-go's own variables.
func referenceFor(ranks, pattern string) (*tiktoken.Tiktoken, error) {
	table, err := loader.NewOfflineLoader().LoadTiktokenBpe(ranks + ".tiktoken")
	if err != nil {
		return nil, fmt.Errorf("loading the ranks of %s: %w", ranks, err)
	}
	core, err := tiktoken.NewCoreBPE(table, nil, pattern)
	if err != nil {
		return nil, fmt.Errorf("building the reference for %s: %w", ranks, err)
	}
	return tiktoken.NewTiktoken(core, nil, nil), nil
}

// check compares the engine with tiktoken-go on the samples. If they differ the
// engine counts by tiktoken-go from then on, and check says where.
func (e *engine) check(ranks, pattern string) error {
	ref, err := referenceFor(ranks, pattern)
	if err != nil {
		return err
	}
	for i, text := range samples {
		got := e.count([]byte(text), len(text))
		want := len(ref.EncodeOrdinary(text))
		if got != want {
			e.fallback.Store(ref)
			return fmt.Errorf("checking %s: %d tokens in sample %d, want %d; counting by the slow reference instead", ranks, got, i, want)
		}
	}
	return nil
}

// Most bytes that the reference is given at once: it is quadratic in a piece.
const (
	referenceChunk = 8 << 10
	referencePiece = 512
)

// countByReference counts by tiktoken-go in bounded time: a text is cut where no
// piece reaches across, and a piece too long for it anywhere.
func countByReference(ref *tiktoken.Tiktoken, text []byte, limit int) int {
	n := 0
	for len(text) > 0 && n <= limit {
		end := len(text)
		if end > referenceChunk {
			if end = lastCut(text[:referenceChunk]); end == 0 {
				for end = referencePiece; !utf8.RuneStart(text[end]) && end > 1; end-- {
				}
			}
		}
		n += len(ref.EncodeOrdinary(string(text[:end])))
		text = text[end:]
	}
	return n
}

// warming is the building of one vocabulary ahead of its use.
type warming struct {
	once sync.Once
	done chan struct{}
}

var (
	warmings = func() map[string]*warming {
		m := make(map[string]*warming)
		for _, p := range published {
			m[p.ranks] = &warming{done: make(chan struct{})}
		}
		return m
	}()
	checked sync.Map // name of ranks → error or nil
)

// Warm builds an encoding in the background, once in a process, and
// checks it against tiktoken-go. It returns at once; the channel is closed when
// that is done. An encoding that fails the check still counts right, but
// slowly: that is logged as an error, and Failed tells it.
func Warm(name string) <-chan struct{} {
	p := published[name]
	w := warmings[p.ranks]
	w.once.Do(func() {
		go func() {
			defer close(w.done)
			engine, err := engines[p.ranks]()
			if err == nil {
				err = engine.check(p.ranks, p.pattern)
			}
			checked.Store(p.ranks, err)
			if err != nil {
				slog.Error("token counter failed its self-check", "encoding", p.ranks, "error", err)
			}
		}()
	})
	return w.done
}
