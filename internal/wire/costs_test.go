package wire

import (
	"fmt"
	"strings"
	"testing"

	"killick/internal/config"
)

// Clients choose the names of models, of any length, and cannot fill the memory with them.
func TestCostsOfFewNamesAreRemembered(t *testing.T) {
	c := config.Default()
	all := newCosts(&c)
	for i := range 2 * maxModels {
		all.of(fmt.Sprintf("model-%d", i))
	}
	long := "claude-opus-4-5" + strings.Repeat("-", 1<<20)
	if got, want := all.of(long), c.Costs(long); got != want {
		t.Errorf("of a long name: %v, want %v", got, want)
	}
	bytes := 0
	for name := range all.known {
		bytes += len(name)
	}
	if len(all.known) > maxModels || bytes > 100<<10 {
		t.Errorf("%d names of %d bytes are remembered", len(all.known), bytes)
	}
}
