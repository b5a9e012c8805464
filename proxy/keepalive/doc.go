// Package keepalive keeps providers' prompt caches of idle conversations alive: shortly before a
// cache entry would expire it sends the last request of the conversation once more, for a minimal
// answer, if that is cheaper than writing the next request to the cache again. It never sends one
// for a conversation whose prices or lifetime are unknown, never changes the cached content, never
// stores or logs a request or a credential, and drops both when the entry expires.
//
// It is about entries of a provider's cache, not about connections, which have timeouts.keep_alive.
package keepalive
