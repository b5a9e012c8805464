package coding

import (
	"strings"
	"testing"

	"killick/proxy/coding/codingtest"
)

func TestFeederStopsAtItsLimit(t *testing.T) {
	var got int
	u := NewFeeder("gzip", 100_000, func(b []byte) { got += len(b) })
	defer u.End()
	if more := u.Feed([]byte(codingtest.Encode("gzip", strings.Repeat("a", 10<<20)))); more ||
		got > 110_000 {
		t.Errorf("unpacked %d bytes of a limit of 100000, wants more: %t", got, more)
	}
	if u.Feed([]byte("x")) {
		t.Error("it wants more after its end")
	}
}
