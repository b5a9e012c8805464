package fuzzed

import "math/rand/v2"

// Seeds are n inputs that stand for conversations long enough to be compacted, of size
// bytes and more.
func Seeds(n, size int) (all [][]byte) {
	for i := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		b := make([]byte, size*(i%4+1))
		for j := range b {
			b[j] = byte(rng.UintN(256))
		}
		b[0] = 0
		all = append(all, b)
	}
	return all
}
