//go:build !race

package corpus

const Slower = 1
