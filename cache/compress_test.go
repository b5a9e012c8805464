package cache

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// noise returns n bytes that do not compress, the same for the same seed.
func noise(seed, n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}).Read(b)
	return b
}

// sourceLines are the source lines of this package, in pieces of ten.
var sourceLines = sync.OnceValue(func() (pieces []string) {
	files, err := filepath.Glob("*.go")
	for _, file := range files {
		var text []byte
		if text, err = os.ReadFile(file); err != nil {
			break
		}
		lines := strings.SplitAfter(string(text), "\n")
		for piece := range slices.Chunk(lines, 10) {
			pieces = append(pieces, strings.Join(piece, ""))
		}
	}
	if err != nil {
		panic(err)
	}
	return pieces
})

// prose returns n bytes of source code, which compresses about as well as stored data: 40 kB
// to a third.
func prose(seed, n int) []byte {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	text := make([]byte, 0, n+1000)
	for len(text) < n {
		text = fmt.Appendf(text, "%d %s", r.Uint32(), sourceLines()[r.IntN(len(sourceLines()))])
	}
	return text[:n]
}

func TestCompress(t *testing.T) {
	twice := bytes.Repeat(prose(1, minZstd/2), 2)
	for _, c := range []struct {
		name  string
		value []byte
		want  byte
	}{
		{"empty", nil, plainRecord},
		{"short", bytes.Repeat([]byte("a"), minCompressed-1), plainRecord},
		{"text", prose(1, 40_000), zstdRecord},
		{"of the least size", bytes.Repeat([]byte("a"), minCompressed), s2Record},
		{"shorter than zstd is good for", twice[:minZstd-1], s2Record},
		{"long enough for zstd", twice, zstdRecord},
		{"short noise", noise(1, 2000), plainRecord},
		{"noise", noise(1, 40_000), plainRecord},
		{"the largest", bytes.Repeat([]byte("text "), MaxValueBytes/5), zstdRecord},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compress(c.value, nil)
			if p.version != c.want {
				t.Errorf("version %d, want %d", p.version, c.want)
			}
			if p.version != plainRecord && len(p.bytes) > len(c.value)*7/8 {
				t.Errorf("%d bytes were compressed to %d", len(c.value), len(p.bytes))
			}
			got, err := p.decompress()
			if err != nil || !bytes.Equal(got, c.value) {
				t.Errorf("%d bytes came back of %d, %v", len(got), len(c.value), err)
			}
		})
	}
}

// TestDecompressIsBounded reads payloads that expand to more than a value may have, or are not
// compressed data: they are errors, and take no more memory than a value.
func TestDecompressIsBounded(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := e.EncodeAll(make([]byte, 2*MaxValueBytes), nil)
	var unsized bytes.Buffer // as a stream, which does not state its length
	stream, err := zstd.NewWriter(&unsized, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * MaxValueBytes >> 20 {
		if _, err := stream.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]payload{
		"a bomb":                 {zstdRecord, bomb},
		"a bomb without a size":  {zstdRecord, unsized.Bytes()},
		"two values in one":      {zstdRecord, append(bytes.Clone(bomb[:len(bomb)/2]), bomb...)},
		"no compressed value":    {zstdRecord, noise(2, 1000)},
		"a value cut off":        {zstdRecord, compress(prose(1, 40_000), nil).bytes[:1000]},
		"an empty one cut short": {zstdRecord, []byte{0x28, 0xb5}},
		"a bomb of s2":           {s2Record, s2.Encode(nil, make([]byte, 2*MaxValueBytes))},
		"noise as s2":            {s2Record, noise(2, 1000)},
		"a value of s2 cut off":  {s2Record, compress(prose(1, 2000), nil).bytes[:300]},
		"nothing as s2":          {s2Record, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := p.decompress()
			if !errors.Is(err, errCorrupt) || len(got) > 0 {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// mustClaim writes a record under a name, replacing any other.
func mustClaim(t *testing.T, s *Store, n name, record []byte) {
	t.Helper()
	c := &claim{
		name: n, record: func() []byte { return record },
		accept: func(entry) bool { return false },
	}
	if err := s.backend.claim([]*claim{c}); err != nil || c.err != nil {
		t.Fatal(err, c.err)
	}
}

// TestHostileValueIsAMiss stores a record with a valid seal that cannot be unpacked.
func TestHostileValueIsAMiss(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		key := randomKey()
		n := checkpointName(key)
		record := s.sealer.seal(n, s.now().Add(time.Hour), payload{zstdRecord, noise(3, 2000)})
		mustClaim(t, s, n, record)
		_, at, _, err := s.Longest(background, []Key{key})
		if at != -1 || err != nil || s.Stats().Corrupt != 1 {
			t.Errorf("found at %d, %v; %d counted as damaged", at, err, s.Stats().Corrupt)
		}
		got, err := s.Put(background, []Key{key}, 0, []byte("true"))
		if err != nil || string(got) != "true" {
			t.Errorf("over it: %q, %v", got, err)
		}
	})
}

// TestOlderRecordsAreRead reads checkpoints as older versions stored them: not compressed, or by
// zstd.
func TestOlderRecordsAreRead(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		value := prose(1, 40_000)
		for _, p := range []payload{{plainRecord, value}, compressZstd(value, nil)} {
			key := randomKey()
			n := checkpointName(key)
			mustClaim(t, s, n, s.sealer.seal(n, s.now().Add(time.Hour), p))
			got, at, _, err := s.Longest(background, []Key{key})
			if at != 0 || err != nil || !bytes.Equal(got, value) {
				t.Errorf("version %d: found %d bytes at %d, %v", p.version, len(got), at, err)
			}
		}
	})
}

// TestCheckpointsAreCompressedBySpeed compresses a long value by s2.
func TestCheckpointsAreCompressedBySpeed(t *testing.T) {
	value := prose(1, 40_000)
	p := compressS2(value, nil)
	got, err := p.decompress()
	if p.version != s2Record || len(p.bytes) > len(value)*7/8 || err != nil ||
		!bytes.Equal(got, value) {
		t.Errorf("%d bytes of version %d, %d came back, %v",
			len(p.bytes), p.version, len(got), err)
	}
}

// TestRenewedRecordsStayAsTheyAre renews a compressed record: its payload is sealed again and not
// compressed again.
func TestRenewedRecordsStayAsTheyAre(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		c := newClock()
		o.Clock, o.TTL = c.read, 10*time.Hour
		s := mustOpen(t, o)
		key, value := randomKey(), prose(1, 40_000)
		if _, err := s.Put(background, []Key{key}, 0, value); err != nil {
			t.Fatal(err)
		}
		stored := func() (p payload) {
			n := checkpointName(key)
			s.backend.read(func(get getter) {
				e, err := get(&n)
				if err != nil {
					t.Fatal(err)
				}
				if p, _, err = s.sealer.open(n, e.record); err != nil {
					t.Fatal(err)
				}
			})
			return p
		}
		before := stored()
		c.advance(9 * time.Hour)
		if _, _, renewed, err := s.Longest(background, []Key{key}); !renewed || err != nil {
			t.Fatalf("renewed %v, %v", renewed, err)
		}
		waitFor(t, func() bool { return s.Stats().Renewals == 1 })
		c.advance(9 * time.Hour)
		got, at, _, err := s.Longest(background, []Key{key})
		if at != 0 || err != nil || !bytes.Equal(got, value) {
			t.Errorf("found %d bytes at %d, %v", len(got), at, err)
		}
		after := stored()
		if before.version != s2Record || after.version != s2Record ||
			!bytes.Equal(before.bytes, after.bytes) {
			t.Errorf("%d bytes of version %d before, %d of version %d after",
				len(before.bytes), before.version, len(after.bytes), after.version)
		}
	})
}

func BenchmarkCompress(b *testing.B) {
	for _, size := range []int{1 << 10, 40 << 10, 1 << 20} {
		value := prose(1, size)
		p := compress(value, nil)
		b.Run(fmt.Sprintf("compress/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				compress(value, nil)
			}
			b.ReportMetric(float64(size)/float64(len(p.bytes)), "ratio")
		})
		b.Run(fmt.Sprintf("decompress/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := p.decompress(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
