//go:build !race

package e2e

const (
	raceEnabled       = false
	raceSample        = 1
	everyConversation = 4
)
