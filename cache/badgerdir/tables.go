package badgerdir

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checkTable reads a whole table and checks every checksum in it. Tables hold
// keys and short values only, so they are small.
//
// A table is its blocks, an index, the length of the index (4 bytes, big endian
// as all of them), a checksum of the index and the length of the checksum. A
// block ends in a checksum and its length too.
func checkTable(path string, compression options.CompressionType, encrypted bool) (err error) {
	name := filepath.Base(path)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	defer contain(&err, name) // the index is a flatbuffer, read without bounds of its own
	sum, rest, ok := cutTrailer(data)
	if !ok {
		return damaged(name, "%d bytes without an end that makes sense", len(data))
	}
	length, rest, ok := cutLength(rest)
	if !ok || length == 0 {
		return damaged(name, "an index of %d bytes in %d", length, len(rest))
	}
	index := rest[len(rest)-length:]
	if !sumMatches(index, sum) {
		return damaged(name, "its index does not match its checksum")
	}
	if encrypted {
		return nil // its blocks and their checksums are; Badger checks blocks as it reads them
	}
	table := fb.GetRootAsTableIndex(index, 0)
	if table.OffsetsLength() == 0 {
		return damaged(name, "no blocks")
	}
	if compression != options.None {
		return nil // not written by this version; Badger checks blocks as it reads them
	}
	for i := range table.OffsetsLength() {
		var at fb.BlockOffset
		table.Offsets(&at, i)
		start, end := int(at.Offset()), int(at.Offset())+int(at.Len())
		if end > len(rest)-length {
			return damaged(name, "block %d reaches beyond the end", i)
		}
		sum, block, ok := cutTrailer(data[start:end])
		if !ok || !sumMatches(block, sum) {
			return damaged(name, "block %d does not match its checksum", i)
		}
	}
	return nil
}

// cutTrailer splits off a checksum and the length after it.
func cutTrailer(data []byte) (sum, rest []byte, ok bool) {
	length, rest, ok := cutLength(data)
	if !ok {
		return nil, nil, false
	}
	cut := len(rest) - length
	return rest[cut:], rest[:cut], true
}

// cutLength splits off a length, which what comes before it must have.
func cutLength(data []byte) (n int, rest []byte, ok bool) {
	cut := len(data) - 4
	if cut < 0 {
		return 0, nil, false
	}
	length := binary.BigEndian.Uint32(data[cut:])
	return int(length), data[:cut], uint64(length) <= uint64(cut)
}

// sumMatches checks a checksum message: field 1 names the algorithm (left out:
// CRC-32C, the one Badger writes), field 2 holds the sum.
func sumMatches(data, message []byte) bool {
	if len(message) == 0 || message[0] != 2<<3 {
		return false
	}
	sum, n := binary.Uvarint(message[1:])
	return n == len(message)-1 && sum == uint64(crc32.Checksum(data, castagnoli))
}
