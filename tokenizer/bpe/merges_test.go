package bpe

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the files of merges anew")

// TestMergeFiles finds the merges of each vocabulary from its ranks: what the
// bytes of a token merge into by the tokens of lower ranks. That there are always
// two is what makes counting by pairs exact.
func TestMergeFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	for _, name := range allEncodings {
		tokens, _ := ranksOf(t, name)
		found := findMerges(t, tokens)
		path := filepath.Join("merges", name+".bin")
		if *update {
			if err := os.WriteFile(path, found, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file, found) {
			t.Errorf("%s does not follow from the ranks; go generate writes it again", path)
		}
		m, err := parseMerges(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.ends) != len(tokens) {
			t.Fatalf("%s: %d tokens, want %d", name, len(m.ends), len(tokens))
		}
		for r, token := range tokens {
			if !bytes.Equal(m.of(rank(r)), token) {
				t.Fatalf("%s: token %d is %q, want %q", name, r, m.of(rank(r)), token)
			}
		}
	}
}

// findMerges returns the file that readMerges reads.
func findMerges(t *testing.T, tokens [][]byte) []byte {
	file := binary.LittleEndian.AppendUint32(nil, uint32(len(tokens)))
	var single [256]rank
	known := make(map[[2]rank]rank, len(tokens))
	bits, n := uint64(0), 0
	for r, token := range tokens {
		if r < 256 {
			if len(token) != 1 {
				t.Fatalf("token %d has %d bytes, want one", r, len(token))
			}
			single[token[0]] = rank(r)
			file = append(file, token[0])
			continue
		}
		parts := []rank{maxRank, maxRank}
		if token != nil {
			parts = parts[:0]
			for _, b := range token {
				parts = append(parts, single[b])
			}
			if parts = mergeKnown(known, parts); len(parts) != 2 {
				t.Fatalf("token %d merges from %d parts, want 2", r, len(parts))
			}
			known[[2]rank(parts)] = rank(r)
		}
		for _, part := range parts {
			bits |= uint64(part) << n
			for n += rankBits; n >= 8; n -= 8 {
				file = append(file, byte(bits))
				bits >>= 8
			}
		}
	}
	return append(append(file, byte(bits)), make([]byte, 8)...)
}

func mergeKnown(known map[[2]rank]rank, parts []rank) []rank {
	for len(parts) > 1 {
		low, at := none, 0
		for i := range len(parts) - 1 {
			if r, ok := known[[2]rank(parts[i:i+2])]; ok && r < low {
				low, at = r, i
			}
		}
		if low == none {
			break
		}
		parts[at] = low
		parts = append(parts[:at+1], parts[at+2:]...)
	}
	return parts
}
