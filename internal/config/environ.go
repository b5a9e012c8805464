package config

import (
	"strings"
)

// Lookup returns a variable of an environment, "" if it is not set.
func Lookup(env []string, name string) string {
	value := ""
	for _, pair := range env {
		if k, v, _ := strings.Cut(pair, "="); k == name {
			value = v
		}
	}
	return value
}
