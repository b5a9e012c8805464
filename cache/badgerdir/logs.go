package badgerdir

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
)

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
