//go:build race

package tokenizer

// slower is how much less the tests do under the race detector, which has
// nothing to find in most of them.
const slower = 20
