// Package keepalive keeps providers' prompt caches of idle conversations alive: shortly before a
// cache entry would expire it sends the last request of the conversation once more, with an
// answer of the fewest tokens, where that is cheaper than having the next request written to the
// cache again. It never sends one for a conversation whose prices or lifetime are not known, never
// changes what stands in the cache, never writes a request or a credential anywhere, and drops
// both when the entry expires.
//
// It is about entries of a provider's cache, not about connections: those have
// timeouts.keep_alive.
package keepalive
