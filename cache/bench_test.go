package cache

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

func openForBench(b *testing.B, inMemory bool) *Store {
	b.Helper()
	o := Options{Dir: b.TempDir(), InMemory: inMemory}
	s, err := Open(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func backends(b *testing.B, run func(b *testing.B, s *Store)) {
	for _, inMemory := range []bool{false, true} {
		b.Run(map[bool]string{false: "disk", true: "memory"}[inMemory], func(b *testing.B) {
			run(b, openForBench(b, inMemory))
		})
	}
}

func randomKey() Key {
	var k Key
	rand.Read(k[:])
	return k
}

// history returns 600 messages with a total of 1 MB.
func history(tb testing.TB) []view.Message {
	msgs := make([]view.Message, 600)
	for i := range msgs {
		role := []string{"user", "assistant"}[i%2]
		text := strings.Repeat(fmt.Sprintf("line %d of what was said\\n", i), 62)
		m, err := chat.ParseMessage(fmt.Appendf(nil, `{"role":%q,"content":"%s"}`, role, text))
		if err != nil {
			tb.Fatal(err)
		}
		msgs[i] = m
	}
	return msgs
}

func BenchmarkChain(b *testing.B) {
	msgs := history(b)
	size := 0
	for _, m := range msgs {
		size += len(m.Raw)
	}
	secret, scope := NewSecret(), Scope{Who: "w", Upstream: "u", Policy: "p"}
	b.Run("cold", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			secret.Chain(scope, msgs)
		}
	})
	b.Run("warm", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		last := len(msgs) - 1
		digests := Digests(nil, msgs[:last])
		keys := secret.Extend(scope, nil, digests)
		for b.Loop() {
			secret.Extend(scope, keys, Digests(digests, msgs[last:]))
		}
	})
}

// BenchmarkLongest looks for 600 keys in a store of 20,000 others.
func BenchmarkLongest(b *testing.B) {
	ctx := context.Background()
	backends(b, func(b *testing.B, s *Store) {
		s.timeout *= 100
		for range 20000 {
			ref := fmt.Sprint(randomKey())
			if err := putOriginal(ctx, s, "w", ref, make([]byte, 64)); err != nil {
				b.Fatal(err)
			}
		}
		keys := make([]Key, 600)
		for i := range keys {
			keys[i] = randomKey()
		}
		b.Run("missing", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, i, _, err := s.Longest(ctx, keys); i != -1 || err != nil {
					b.Fatal(i, err)
				}
			}
		})
		if _, err := s.Put(ctx, keys, len(keys)-1, prose(1, 40<<10)); err != nil {
			b.Fatal(err)
		}
		b.Run("last", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(40 << 10)
			for b.Loop() {
				if _, i, _, err := s.Longest(ctx, keys); i != len(keys)-1 || err != nil {
					b.Fatal(i, err)
				}
			}
		})
	})
}

// BenchmarkLongestGrowing looks for the checkpoint of a conversation of this many messages, which
// grows by two messages per turn, with a checkpoint after the first half or none.
func BenchmarkLongestGrowing(b *testing.B) {
	ctx := context.Background()
	const turns = 100
	for _, messages := range []int{100, 5000} {
		for _, checkpoint := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/checkpoint=%v", messages, checkpoint), func(b *testing.B) {
				s := openForBench(b, false)
				keys := make([]Key, messages+2*turns)
				for b.Loop() {
					b.StopTimer()
					for i := range keys {
						keys[i] = randomKey()
					}
					if checkpoint {
						if _, err := s.Put(ctx, keys, messages/2, prose(1, 40<<10)); err != nil {
							b.Fatal(err)
						}
					}
					if _, _, _, err := s.Longest(ctx, keys[:messages]); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					for turn := 1; turn <= turns; turn++ {
						_, at, _, err := s.Longest(ctx, keys[:messages+2*turn])
						if (at >= 0) != checkpoint || err != nil {
							b.Fatal(at, err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*turns), "ns/turn")
			})
		}
	}
}

func BenchmarkPut(b *testing.B) {
	ctx := context.Background()
	value := prose(1, 40<<10)
	backends(b, func(b *testing.B, s *Store) {
		s.timeout *= 100
		b.Run("checkpoint", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(value)))
			for b.Loop() {
				if _, err := s.Put(ctx, []Key{randomKey()}, 0, value); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("original", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(value)))
			for b.Loop() {
				key := randomKey()
				if err := putOriginal(ctx, s, "w", string(key[:]), value); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

func BenchmarkOriginal(b *testing.B) {
	ctx := context.Background()
	value := prose(1, 40<<10)
	backends(b, func(b *testing.B, s *Store) {
		if err := putOriginal(ctx, s, "w", "ref", value); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		b.SetBytes(int64(len(value)))
		for b.Loop() {
			if _, err := s.Original(ctx, "w", "ref"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
