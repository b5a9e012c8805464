package cache

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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
	defer func() { // the index is a flatbuffer, read without bounds of its own
		if p := recover(); p != nil {
			err = damaged(name, "%v", panicked(p))
		}
	}()
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

// logHeaderBytes start every log: the id of an encryption key and a vector.
const logHeaderBytes = 20

// trimLog truncates a log at the first entry with an impossible header. Badger
// itself truncates at the first entry that does not match its checksum, but reads
// the header before: lengths that overflow when added panic, and a number that is
// too long is an error for which it rejects the directory.
func trimLog(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() <= logHeaderBytes {
		return nil
	}
	if _, err := f.Seek(logHeaderBytes, io.SeekStart); err != nil {
		return err
	}
	at := int64(logHeaderBytes)
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		size, err := entrySize(r, info.Size()-at)
		if errors.Is(err, errEntry) {
			return f.Truncate(at)
		}
		if size == 0 || err != nil {
			return err
		}
		at += size
	}
}

var errEntry = errors.New("no log entry has such a header")

// entrySize reads the header of an entry, skips the rest of it and returns the
// size of both; 0 where entries end. left is how much of the file there is.
func entrySize(r *bufio.Reader, left int64) (int64, error) {
	head, err := r.Peek(min(int(min(left, math.MaxInt32)), 2+3*binary.MaxVarintLen64))
	if err != nil {
		return 0, err
	}
	if len(head) < 2 {
		return 0, nil
	}
	size := 2 // meta, user meta
	var numbers [3]uint64
	for i := range numbers { // key length, value length, expiry
		v, n := binary.Uvarint(head[size:])
		if n < 0 {
			return 0, errEntry
		}
		if n == 0 {
			return 0, nil
		}
		numbers[i] = v
		size += n
	}
	key, value := numbers[0], numbers[1]
	switch {
	case key == 0 && value == 0: // zeros: the part not yet written
		return 0, nil
	case key > math.MaxUint32, value > math.MaxUint32, int64(key+value) > left:
		return 0, errEntry
	}
	total := int64(size) + int64(key+value) + crc32.Size
	if total > left {
		return 0, nil
	}
	for skip := total; skip > 0; {
		n, err := r.Discard(int(min(skip, math.MaxInt32)))
		if err != nil {
			return 0, err
		}
		skip -= int64(n)
	}
	return total, nil
}

// checkDiscard checks Badger's table of what GC could free, 16 bytes per entry: the
// number of a value log and a count of bytes. It has no checksum, and with a damaged
// entry Badger searches for the greatest count forever. A table that cannot be right
// is replaced by one that declares every byte garbage: GC then goes through each
// file once and keeps the live records. The same is done if deleted records are to be
// erased, since the counts of a killed process may be missing.
func (fl *files) checkDiscard() error {
	data, err := os.ReadFile(fl.path(discardFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = os.Stat(fl.path(eraseFile))
	if erasing := err == nil; discardSound(data) && !erasing {
		return nil
	}
	fresh := make([]byte, discardBytes)
	for i, name := range fl.logs {
		id, err := strconv.ParseUint(strings.TrimSuffix(name, ".vlog"), 10, 32)
		if err != nil || 16*(i+1) >= len(fresh) {
			continue
		}
		binary.BigEndian.PutUint64(fresh[16*i:], id)
		binary.BigEndian.PutUint64(fresh[16*i+8:], maxDiscard)
	}
	return os.WriteFile(fl.path(discardFile), fresh, 0o600)
}

const (
	discardBytes = 1 << 20 // as Badger makes it
	maxDiscard   = 1 << 32 // no log file is bigger
)

func discardSound(data []byte) bool {
	if len(data) < discardBytes || len(data)%16 != 0 {
		return len(data) == 0 // Badger treats an empty one as new
	}
	seen := map[uint64]bool{}
	for i := 0; i < len(data); i += 16 {
		id, discard := binary.BigEndian.Uint64(data[i:]), binary.BigEndian.Uint64(data[i+8:])
		if id == 0 {
			break
		}
		if id > math.MaxUint32 || discard > maxDiscard || seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}
