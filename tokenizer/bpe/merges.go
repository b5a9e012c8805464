package bpe

import (
	"embed"
	"encoding/binary"
	"fmt"
)

// The merges of the published vocabularies, made from the ranks that are embedded
// in tiktoken-go's offline loader: to read them takes a tenth of the time that it
// takes to find them. TestMergeFiles holds that they follow from the ranks.
//
//go:generate go test -run TestMergeFiles -update .
//go:embed merges/*.bin
var mergeFiles embed.FS

// merges is how the tokens of a vocabulary come about.
type merges struct {
	single [256]byte // the byte that each of the first ranks is
	// halves are the two tokens that each token merges from; itself twice for a byte, and for a
	// rank that is not a token.
	halves [][2]rank
	text   []byte   // the tokens one after the other, by rank
	ends   []uint32 // where each ends in it
}

// mergeBits are those of an entry of a file: two ranks.
const mergeBits = 2 * rankBits

func readMerges(name string) (*merges, error) {
	file, err := mergeFiles.ReadFile("merges/" + name + ".bin")
	if err != nil {
		return nil, fmt.Errorf("reading the merges of %s: %w", name, err)
	}
	m, err := parseMerges(file)
	if err != nil {
		return nil, fmt.Errorf("reading the merges of %s: %w", name, err)
	}
	return m, nil
}

// parseMerges reads a file: the number of ranks in four bytes, the bytes that the first 256 ranks
// are, then for each further one the two ranks that merge into it, the left one in the lower bits,
// as a stream of bits, the lowest first; for a rank that is not a token both are maxRank. Eight
// more bytes end it.
func parseMerges(file []byte) (*merges, error) {
	if len(file) < 4+256 {
		return nil, fmt.Errorf("%d bytes, want more", len(file))
	}
	n := int(binary.LittleEndian.Uint32(file))
	if want := 4 + 256 + (n-256)*mergeBits/8 + 8; n < 256 || len(file) < want {
		return nil, fmt.Errorf("%d bytes for %d ranks, want %d", len(file), n, want)
	}
	m := &merges{
		halves: make([][2]rank, n),
		text:   make([]byte, 0, 8*n),
		ends:   make([]uint32, n),
	}
	file = file[4:]
	for r := range m.single {
		m.single[r] = file[r]
		m.halves[r] = [2]rank{rank(r), rank(r)}
		m.text = append(m.text, file[r])
		m.ends[r] = uint32(r + 1)
	}
	file = file[256:]
	for r := 256; r < n; r++ {
		bit := (r - 256) * mergeBits
		entry := binary.LittleEndian.Uint64(file[bit/8:]) >> (bit % 8)
		a, b := rank(entry%(1<<rankBits)), rank(entry>>rankBits%(1<<rankBits))
		switch {
		case a < rank(r) && b < rank(r):
			m.halves[r] = [2]rank{a, b}
			m.text = append(append(m.text, m.of(a)...), m.of(b)...)
		case a == maxRank && b == maxRank:
			m.halves[r] = [2]rank{rank(r), rank(r)}
		default:
			return nil, fmt.Errorf("rank %d merges from %d and %d, want lower ones", r, a, b)
		}
		m.ends[r] = uint32(len(m.text))
	}
	return m, nil
}

// of returns the bytes of a token, none of a rank that is not a token.
func (m *merges) of(r rank) []byte {
	start := uint32(0)
	if r > 0 {
		start = m.ends[r-1]
	}
	return m.text[start:m.ends[r]]
}
