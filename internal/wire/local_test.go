package wire

import (
	"bytes"
	"testing"
)

// A replay is the same each time: two locals forward the same bytes, refs included.
func TestLocalsForwardAlike(t *testing.T) {
	one, two := newNeighbours(t), newNeighbours(t)
	refs := 0
	for i, body := range listed(14) {
		_, first := one.turn(t, one.Owner("a"), body)
		_, second := two.turn(t, two.Owner("a"), body)
		if !bytes.Equal(first.Body, second.Body) {
			t.Fatalf("turn %d is forwarded otherwise", i)
		}
		refs += len(refsIn(first.Body))
	}
	if refs == 0 {
		t.Fatal("nothing that was forwarded has a ref")
	}
}
