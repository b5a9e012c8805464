// Package conversations puts many made-up conversations into the store that replicas share and into
// one that a replica has of its own, and measures both as they fill: memory for each conversation,
// round trips and commands for each request, and how long a request waits.
//
// The sizes are those of recorded conversations; the contents are random bytes. It asks the stores
// through the calls that the proxy makes, and sees no request and no form.
package conversations
