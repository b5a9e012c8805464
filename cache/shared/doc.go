// Package shared is the store that several replicas share: a server with the Redis protocol, in
// addition to the local store of each replica. Forms, originals and last-seen times are written to
// both, and read from the local store if that is known to be current.
//
// It never makes a request wait longer than its time-out in total. It never sends a value of a
// conversation unencrypted, and trusts none that was not made with the secret that the replicas
// share; sums of calls and money are numbers in the clear, under hashed names. It never fails a
// call because the shared store is slow, full or down: then a replica continues with its local
// store, counts it, and uses the shared one again when it is back.
//
// Its keys, values and commands are described in docs/store.md, "A shared store".
package shared
