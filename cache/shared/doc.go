// Package shared is the store of several replicas: one on the Redis protocol that they have in
// common, behind the store that each has of its own. Forms, originals and last-seen times are
// written to both, and read from the replica's own where that is known to be as good.
//
// It never makes a request wait longer than its time-out, in all. It never sends out a value of a
// conversation that is not encrypted, and believes none that was not made under the secret that the
// replicas share; sums of calls and money are numbers in the clear, under hashed names. It never
// fails a call because the shared store is slow, full or gone: then a replica goes on with its own
// store, counts it, and takes up the shared one when it is back.
//
// Its keys, values and commands are described in docs/design.md, "A shared store".
package shared
