//go:build race

package compactor

const raceDetector = true
