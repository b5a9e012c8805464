// Package fault describes why a request failed: what the client is told, in the shape that it
// expects, and what the operator's log gets. A message for a client names no address, path or
// credential; the log quotes no text of a message. It never decides what to do about a failure.
package fault
