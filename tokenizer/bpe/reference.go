package bpe

import (
	"fmt"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

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

// The maximum number of bytes that the reference gets at once: it is quadratic in a piece.
const (
	referenceChunk = 8 << 10
	referencePiece = 512
)

// countByReference counts with tiktoken-go in bounded time: a text is cut between pieces, and a
// piece that is too long anywhere.
func countByReference(ref *tiktoken.Tiktoken, text []byte) int {
	n := 0
	for len(text) > 0 {
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
