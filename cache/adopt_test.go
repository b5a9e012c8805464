package cache

import (
	"bytes"
	"testing"
)

// An adopted checkpoint replaces the stored one. The next look-up finds it, even if the previous
// one was found before.
func TestAdoptedFormsAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		s := mustOpen(t, o)
		keys := []Key{randomKey(), randomKey(), randomKey(), randomKey()}
		if _, err := s.Put(background, keys, 1, []byte("ours")); err != nil {
			t.Fatal(err)
		}
		before, _, err := s.Find(background, keys, nil)
		if err != nil || before == nil {
			t.Fatal(before, err)
		}
		if err := s.Adopt(background, keys, 1, 1, []byte("theirs")); err != nil {
			t.Fatal(err)
		}
		found, _, err := s.Find(background, keys, before)
		if err != nil || found == nil || string(found.Value) != "theirs" || found.Index != 1 {
			t.Errorf("%+v, %v, want theirs", found, err)
		}
		if err := s.Adopt(background, keys, 3, 1, []byte("newer")); err != nil {
			t.Fatal(err)
		}
		if found, _, err = s.Find(background, keys, found); err != nil ||
			found == nil || string(found.Value) != "newer" || found.Index != 3 {
			t.Errorf("%+v, %v, want the newer one", found, err)
		}
		if err := s.Adopt(background, keys, 3, 1, make([]byte, MaxValueBytes+1)); err == nil {
			t.Error("a value without bound is adopted")
		}
	})
}

func TestDecompressReadsWhatCompressWrote(t *testing.T) {
	for _, value := range [][]byte{nil, {0}, []byte("short"), prose(1, 10_000), noise(1, 5000)} {
		packed := Compress(value)
		got, err := Decompress(packed)
		if err != nil || !bytes.Equal(got, value) {
			t.Errorf("%d bytes came back as %d: %v", len(value), len(got), err)
		}
		if len(packed) > len(value)+1 {
			t.Errorf("%d bytes became %d", len(value), len(packed))
		}
		if len(value) > 1000 && value[0] != 0 {
			packed[len(packed)/2] ^= 0xff
			if got, err := Decompress(packed); err == nil && len(got) > MaxValueBytes {
				t.Errorf("a damaged value has %d bytes", len(got))
			}
		}
	}
	for _, damaged := range [][]byte{nil, {}, {7, 'x'}, {zstdRecord, 'x'}} {
		if got, err := Decompress(damaged); err == nil {
			t.Errorf("%v is read as %q", damaged, got)
		}
	}
}
