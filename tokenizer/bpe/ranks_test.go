package bpe

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

// readRanks returns the tokens of a vocabulary by rank, from the file embedded
// in the offline loader: a line each, the token in base64 and its rank. Ranks
// that the file leaves out (p50k_base has one) are nil.
func readRanks(name string) ([][]byte, error) {
	file, err := assets.Assets.ReadFile(name + ".tiktoken")
	if err != nil {
		return nil, fmt.Errorf("reading the ranks of %s: %w", name, err)
	}
	tokens := make([][]byte, 0, bytes.Count(file, []byte("\n"))+1)
	text := make([]byte, 0, len(file)*3/4) // never grows, so that slices of it stay
	for len(file) > 0 {
		var line []byte
		line, file, _ = bytes.Cut(file, []byte("\n"))
		if len(line) == 0 {
			continue
		}
		token, number, ok := bytes.Cut(line, []byte(" "))
		rank, err := strconv.Atoi(string(number))
		if !ok || err != nil || rank < len(tokens) || rank > maxRank {
			return nil, fmt.Errorf("reading the ranks of %s: line %q, want a token and a rank "+
				"past %d", name, line, len(tokens)-1)
		}
		start := len(text)
		text, err = base64.StdEncoding.AppendDecode(text, token)
		if err != nil {
			return nil, fmt.Errorf("reading the ranks of %s: line %q: %w", name, line, err)
		}
		for len(tokens) < rank {
			tokens = append(tokens, nil)
		}
		tokens = append(tokens, text[start:len(text):len(text)])
	}
	return tokens, nil
}
