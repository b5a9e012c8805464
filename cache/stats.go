package cache

import "sync/atomic"

// Stats counts the operations of a store since it was opened. All except the sizes
// only grow.
type Stats struct {
	Hits, Misses uint64 // [Store.Find]: with a checkpoint, without one
	Puts         uint64 // checkpoints written
	Conflicts    uint64 // checkpoints not written because another was there first

	OriginalPuts uint64 // originals written

	Deleted uint64 // records removed on request

	// Records removed to stay below the size limit, the oldest first.
	EvictedCheckpoints, EvictedOriginals uint64

	Renewals uint64 // records whose time to live was renewed because they were used
	Corrupt  uint64 // damaged records found, each read as a miss
	Refused  uint64 // writes refused for lack of free space, or at the size limit
	Failures uint64 // calls that failed for any other reason: time-outs, I/O errors
	GCRuns   uint64 // value-log files rewritten to free their space

	Bytes int64 // approximate size of the store on disk, or in memory
}

// counters are the live counters of [Stats].
type counters struct {
	hits, misses, puts, conflicts, originalPuts atomic.Uint64
	renewals, corrupt, refused, failures        atomic.Uint64
	gcRuns, deleted                             atomic.Uint64
	evictedCheckpoints, evictedOriginals        atomic.Uint64
	evictedOthers                               atomic.Uint64
}

// evict counts an eviction of a record of a kind.
func (c *counters) evict(kind byte) {
	switch kind {
	case kindCheckpoint:
		c.evictedCheckpoints.Add(1)
	case kindOriginal:
		c.evictedOriginals.Add(1)
	default:
		c.evictedOthers.Add(1)
	}
}

func (c *counters) evicted() uint64 {
	return c.evictedCheckpoints.Load() + c.evictedOriginals.Load() + c.evictedOthers.Load()
}
