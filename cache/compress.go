package cache

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Values are compressed before they are encrypted and written: Badger can only
// compress the blocks of its tables, never value logs. Each value is compressed
// separately, so a length only depends on one client's own text.

const (
	// minCompressed is the minimum size of values that are compressed: for less,
	// the headers outweigh the savings.
	minCompressed = 256

	// minZstd is the minimum size of values that are compressed by zstd, shorter ones by s2: for
	// these zstd saves another fifth, at four to ten times the processor time. A store with typical
	// conversations takes a tenth more for it. See docs/performance.md.
	minZstd = 4 << 10

	// compressionWindow bounds the memory of the encoder and the decoder.
	compressionWindow = 1 << 20
)

// The level is the fastest: of the texts that a store holds, slower ones save 4%
// more bytes for half the speed. See docs/performance.md.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false), // records have a seal
		zstd.WithWindowSize(compressionWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(MaxValueBytes), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return d
})

// compress compresses a value, by the method that suits its size, unless that saves less than an
// eighth. The payload may alias the value, or room if that is large enough.
func compress(value, room []byte) payload {
	if len(value) >= minZstd {
		return compressZstd(value, room)
	}
	return compressS2(value, room)
}

// rooms are for compressed values that are copied into their records.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// maxRoom is the size of the largest room that is kept for other values.
const maxRoom = 1 << 20

// withRoom calls use with a buffer that is large enough for the compressed value. The buffer is
// reused afterwards.
func withRoom(value []byte, use func(room []byte)) {
	room := rooms.Get().(*[]byte)
	if need := s2.MaxEncodedLen(len(value)); need > len(*room) {
		*room = make([]byte, need)
	}
	use(*room)
	if len(*room) <= maxRoom {
		rooms.Put(room)
	}
}

// compressS2 compresses a value of any size with s2. It is for checkpoints: most are soon replaced
// by the next form of their conversation, so speed matters more than size.
func compressS2(value, room []byte) payload {
	if len(value) < minCompressed {
		return payload{plainRecord, value}
	}
	return smaller(value, payload{s2Record, s2.Encode(room, value)})
}

// compressZstd compresses a value of any size with zstd.
func compressZstd(value, room []byte) payload {
	if len(value) < minCompressed {
		return payload{plainRecord, value}
	}
	packed := encoder().EncodeAll(value, room[:0])
	return smaller(value, payload{zstdRecord, packed})
}

// smaller returns the compressed payload, or the value where that saves less than an eighth.
func smaller(value []byte, packed payload) payload {
	if len(packed.bytes) > len(value)-len(value)/8 {
		return payload{plainRecord, value}
	}
	return packed
}

// decompress returns the value, at most [MaxValueBytes] regardless of what the
// payload claims. It may alias the payload.
func (p payload) decompress() ([]byte, error) {
	if p.version == plainRecord {
		return p.bytes, nil
	}
	var value []byte
	var err error
	if p.version == s2Record {
		value, err = decompressS2(p.bytes)
	} else {
		value, err = decoder().DecodeAll(p.bytes, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return value, nil
}

// decompressS2 returns the value that compressS2 was given.
func decompressS2(packed []byte) ([]byte, error) {
	n, err := s2.DecodedLen(packed)
	if err == nil && n > MaxValueBytes {
		err = errTooLarge(n, MaxValueBytes)
	}
	if err != nil {
		return nil, err
	}
	return s2.Decode(nil, packed)
}

// Compress compresses a value for other stores; [Decompress] reads it.
func Compress(value []byte) []byte {
	// With zstd, since other versions of this program may read it.
	p := compressZstd(value, make([]byte, 0, len(value)/2))
	return append([]byte{p.version}, p.bytes...)
}

// Decompress returns the value that [Compress] was given. It may alias the packed bytes.
func Decompress(packed []byte) ([]byte, error) {
	if len(packed) == 0 || packed[0] != plainRecord && packed[0] != zstdRecord {
		return nil, errCorrupt
	}
	return payload{packed[0], packed[1:]}.decompress()
}
