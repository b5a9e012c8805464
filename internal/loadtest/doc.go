// Command loadtest puts the built proxy under load and measures it from outside, with each part in
// a process of its own.
//
//	load     many streams and small chats at once: no error, flat memory, no goroutine left behind
//	soak     long conversations with compaction on: the same, and every forwarded request is valid
//	compare  the proxy beside a bare httputil.ReverseProxy and nginx: what it costs
//	shared   a million conversations in the store that replicas share: memory, commands, latency
//
// It is for operators who want their own figures and for docs/performance.md. It is not part of the
// proxy, never judges what a compaction keeps, and calls no model.
package main
