package cache

import "testing"

// Times at which conversations were seen are no originals: whoever sizes the store by the metrics
// must not take them for such.
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
