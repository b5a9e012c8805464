package jsontree

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
)

// AppendCanonical appends a text of v that is the same for the same values, however their JSON is
// spelled. It is for hashing: nothing reads it. Without sorted, the order of members counts.
func AppendCanonical(b []byte, v any, sorted bool) []byte {
	switch v := v.(type) {
	case string:
		return append(append(AppendLength(append(b, 's'), len(v)), v...), 0)
	case json.Number:
		return append(append(AppendLength(append(b, 'n'), len(v)), v...), 0)
	case bool:
		if v {
			return append(b, 't')
		}
		return append(b, 'f')
	case []any:
		b = AppendLength(append(b, '['), len(v))
		for _, e := range v {
			b = AppendCanonical(b, e, sorted)
		}
		return b
	case Object:
		if sorted {
			v = slices.Clone(v)
			slices.SortStableFunc(v, func(x, y Member) int {
				return strings.Compare(x.Name, y.Name)
			})
		}
		b = AppendLength(append(b, '{'), len(v))
		for _, m := range v {
			b = AppendCanonical(AppendCanonical(b, m.Name, sorted), m.Value, sorted)
		}
		return b
	}
	return append(b, 'z')
}

// AppendLength appends a number, for hashing.
func AppendLength(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

// Chained is the hash of what was hashed to key and of b after it.
func Chained(key [32]byte, b []byte) (next [32]byte) {
	h := sha256.New()
	h.Write(key[:])
	h.Write(b)
	h.Sum(next[:0])
	return next
}
