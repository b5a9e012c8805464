package cache

import "testing"

// Last-seen records do not count as originals in the metrics, by which operators size the store.
func TestEvictionsAreCountedByKind(t *testing.T) {
	var c counters
	for _, kind := range []byte{kindCheckpoint, kindOriginal, kindLastSeen, kindLastSeen} {
		c.evict(kind)
	}
	if c.evicted() != 4 || c.evictedCheckpoints.Load() != 1 || c.evictedOriginals.Load() != 1 {
		t.Errorf("%d evicted, of these %d checkpoints and %d originals, want 4, 1 and 1",
			c.evicted(), c.evictedCheckpoints.Load(), c.evictedOriginals.Load())
	}
}
