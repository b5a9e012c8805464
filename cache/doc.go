// Package cache keeps what a conversation has already been turned into: the
// checkpoint of a prefix by the hash of that prefix, and the originals of what
// was masked by a keyed reference. Both live in a directory (Badger) or in
// memory, compressed, and never change once written. They expire when nobody uses
// them; past a size limit the oldest are evicted, and use makes a record new.
//
// It never decides what is compacted, it never sees HTTP, and it is never the
// only place where something is known: a lost, evicted, damaged or full store
// costs a repetition, not an answer. So reading gives the bytes that were written
// or nothing at all, and no call waits for an eviction, nor longer than a bound
// for a disk that hangs.
//
// Nothing here can be asked for without the store's [Secret] and the caller's
// keyed credential, so what was learnt under one credential cannot be named by
// another.
package cache
