//go:build race

package corpus

// Slower is how much less the tests do under the race detector, which has
// nothing to find in most of them.
const Slower = 20
