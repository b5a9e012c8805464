//go:build !race

package main

const (
	raceEnabled       = false
	raceSample        = 1
	raceConversations = 1
)
