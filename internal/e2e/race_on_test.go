//go:build race

package e2e

// Under the race detector every sixth real conversation is replayed, at every
// twentieth turn: what races is the same at each.
const (
	raceEnabled       = true
	raceSample        = 20
	everyConversation = 6
)
