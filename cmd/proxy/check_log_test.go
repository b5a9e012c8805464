package main

import (
	"maps"
	"strings"
	"testing"
)

// The log of a service may contain lines of other programs, of any length.
func TestModelsOfALogWithLongLines(t *testing.T) {
	const request = `{"msg":"request","model":"m"}`
	long := strings.Repeat("x", 3<<20)
	for name, log := range map[string]string{
		"between":  request + "\n" + long + "\n" + request + "\n",
		"last":     request + "\n" + request + "\n" + long,
		"its end":  request + "\n" + long + request + "\n" + request,
		"returned": request + "\r\n" + long + "\r\n" + request + "\r\n",
	} {
		got, err := modelsOf(strings.NewReader(log))
		if err != nil || !maps.Equal(got, map[string]int{"m": 2}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
