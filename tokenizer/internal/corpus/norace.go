//go:build !race

package corpus

// Slower is how much less the tests do under the race detector.
const Slower = 1
