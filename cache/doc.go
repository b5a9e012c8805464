// Package cache stores how conversations were compacted: the checkpoint of a
// prefix by the hash of that prefix, and the originals of masked text by a keyed
// reference. Both are in a directory (Badger) or in memory, compressed, and never
// change once written. They expire when unused; past a size limit the oldest are
// evicted, and use renews a record.
//
// It never decides what is compacted, never sees HTTP, and is never needed to
// answer a request: a lost, evicted, damaged or full store only costs repeated
// work. So reading returns the bytes that were written or nothing, and no call
// waits for an eviction, nor longer than a bound for a hung disk.
//
// Nothing can be read without the store's [Secret] and the caller's keyed
// credential, so what was stored under one credential cannot be addressed by
// another.
package cache
