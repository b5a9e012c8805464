package tokenizer

import (
	"fmt"
	"sync"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"killick/chat"
)

// Encoding is one published vocabulary. It is safe for concurrent use.
type Encoding struct {
	name string
	ref  *tiktoken.Tiktoken
}

var loadMu sync.Mutex
var loaded = map[string]*Encoding{}

// Load returns the encoding of that name: "o200k_base", "o200k_harmony",
// "cl100k_base", "p50k_base" or "r50k_base". Each is built once per process.
func Load(name string) (*Encoding, error) {
	loadMu.Lock()
	defer loadMu.Unlock()
	if e := loaded[name]; e != nil {
		return e, nil
	}
	ranks := name
	if name == "o200k_harmony" {
		ranks = "o200k_base"
	}
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	ref, err := tiktoken.GetEncoding(ranks)
	if err != nil {
		return nil, fmt.Errorf("loading encoding %q: %w", name, err)
	}
	e := &Encoding{name: name, ref: ref}
	loaded[name] = e
	return e, nil
}

// Name returns the name the encoding was published under.
func (e *Encoding) Name() string { return e.name }

// Count returns the number of tokens of text, special tokens read as plain text.
func (e *Encoding) Count(text []byte) int { return e.CountString(string(text)) }

// CountString is Count of a string.
func (e *Encoding) CountString(s string) int {
	// The reference is quadratic in a piece; until the linear counter stands,
	// long texts are cut.
	n := 0
	for len(s) > 4096 {
		cut := 4096
		for cut > 2048 && s[cut]&0xC0 == 0x80 {
			cut--
		}
		n += len(e.ref.EncodeOrdinary(s[:cut]))
		s = s[cut:]
	}
	return n + len(e.ref.EncodeOrdinary(s))
}

// CountJSON counts the body of a JSON string, what stands between its quotes,
// still escaped: as many tokens as decoding it first would give. Half of a
// surrogate pair counts as U+FFFD.
func (e *Encoding) CountJSON(body []byte) int {
	quoted := append(append([]byte{'"'}, body...), '"')
	return e.CountString(chat.Value(quoted).Text())
}

// mustLoad loads one of the encodings named in this package, whose ranks are
// compiled in.
func mustLoad(name string) *Encoding {
	e, err := Load(name)
	if err != nil {
		panic(err)
	}
	return e
}

var warm sync.Once

// Warm builds the encodings of today's models in the background. It returns at
// once and may be called again.
func Warm() {
	warm.Do(func() {
		go func() {
			mustLoad(o200kBase)
			mustLoad(cl100kBase)
		}()
	})
}
