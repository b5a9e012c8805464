package bpe

import (
	"fmt"
	"sync"
	"unsafe"
)

// Names of the published encodings.
const (
	O200kBase    = "o200k_base"
	O200kHarmony = "o200k_harmony"
	Cl100kBase   = "cl100k_base"
	P50kBase     = "p50k_base"
	R50kBase     = "r50k_base"
)

// Encoding is one published vocabulary. It is safe for concurrent use.
type Encoding struct {
	name   string
	engine *engine
}

// published has the definitions of the encodings. Source: OpenAI's tiktoken
// (tiktoken_ext/openai_public.py). cl100k_base is as in tiktoken-go: OpenAI's present version cuts
// white space with a line break differently at the end of a text.
var published = map[string]struct {
	ranks   string // name of the file
	split   splitter
	pattern string // what split does
}{
	O200kBase:    {O200kBase, splitO200k, patternO200k},
	O200kHarmony: {O200kBase, splitO200k, patternO200k}, // differs in special tokens only
	Cl100kBase:   {Cl100kBase, splitCl100k, patternCl100k},
	P50kBase:     {P50kBase, splitGPT2, patternGPT2},
	R50kBase:     {R50kBase, splitGPT2, patternGPT2},
}

const (
	patternO200k = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*` +
		`[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+` +
		`[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternCl100k = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}` +
		`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternGPT2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
)

// engines holds the engine of each file of ranks, built at its first use.
var engines = func() map[string]func() (*engine, error) {
	m := make(map[string]func() (*engine, error))
	for _, p := range published {
		m[p.ranks] = sync.OnceValues(func() (*engine, error) { return newEngine(p.ranks, p.split) })
	}
	return m
}()

func newEngine(ranks string, split splitter) (*engine, error) {
	merges, err := readMerges(ranks)
	if err != nil {
		return nil, err
	}
	loadClasses()
	v, err := newVocab(merges)
	if err != nil {
		return nil, fmt.Errorf("preparing %s: %w", ranks, err)
	}
	return &engine{vocab: v, split: split, idle: newScratches()}, nil
}

// Load returns an encoding by its name: "o200k_base", "o200k_harmony", "cl100k_base", "p50k_base"
// or "r50k_base". Each is built once per process; the largest takes about a tenth of a second.
func Load(name string) (*Encoding, error) {
	p, ok := published[name]
	if !ok {
		return nil, unknownName(name)
	}
	engine, err := engines[p.ranks]()
	if err != nil {
		return nil, fmt.Errorf("loading encoding %q: %w", name, err)
	}
	return &Encoding{name: name, engine: engine}, nil
}

func unknownName(name string) error {
	return fmt.Errorf("loading encoding %q: want one of %s, %s, %s, %s, %s",
		name, O200kBase, O200kHarmony, Cl100kBase, P50kBase, R50kBase)
}

// Name returns the name the encoding was published under.
func (e *Encoding) Name() string { return e.name }

// Count returns the number of tokens of text, special tokens read as plain text. Bytes that are not
// UTF-8 count as U+FFFD each.
func (e *Encoding) Count(text []byte) int { return e.engine.count(text) }

// CountString is Count of a string.
func (e *Encoding) CountString(s string) int { return e.Count(bytesOf(s)) }

// CountJSON counts the body of a JSON string, still escaped and without its quotes. The result is
// the same as after decoding. Half of a surrogate pair counts as U+FFFD.
func (e *Encoding) CountJSON(body []byte) int { return e.engine.countJSON(body) }

// Slow reports whether the encoding failed its self-check and therefore uses the slow reference.
func (e *Encoding) Slow() bool { return e.engine.fallback.Load() != nil }

// bytesOf is s without a copy, to be read only.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
