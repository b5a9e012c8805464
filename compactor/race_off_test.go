//go:build !race

package compactor

const raceDetector = false
