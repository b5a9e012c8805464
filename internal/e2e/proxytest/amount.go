package proxytest

import (
	"os"
	"strconv"
	"testing"
)

// Amount returns how many inputs a test makes and the seed of the first: what the environment
// variables name and name_FROM say, else so many, or short with -short, from 0 on.
func Amount(t *testing.T, name string, many, short int) (n, from int) {
	t.Helper()
	if n = many; testing.Short() {
		n = short
	}
	for variable, number := range map[string]*int{name: &n, name + "_FROM": &from} {
		text := os.Getenv(variable)
		if text == "" {
			continue
		}
		var err error
		if *number, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
	}
	return n, from
}
