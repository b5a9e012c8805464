//go:build !race

package tokenizer

const slower = 1
