package coding

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/proxy/coding/codingtest"
)

func TestFeederStopsAtItsLimit(t *testing.T) {
	var got int
	u := NewFeeder("gzip", 100_000, func(b []byte) { got += len(b) })
	defer u.End()
	if more := u.Feed([]byte(codingtest.Encode("gzip", strings.Repeat("a", 10<<20)))); more ||
		got < 100_000 || got > 110_000 {
		t.Errorf("unpacked %d bytes of a limit of 100000, wants more: %t", got, more)
	}
	if u.Feed([]byte("x")) {
		t.Error("it wants more after its end")
	}
}

// A body is decoded whole, however it is cut into pieces.
func TestEveryCodingIsDecoded(t *testing.T) {
	text := strings.Repeat("the same text and some more of it. ", 1000)
	encoded := map[string]string{"x-gzip": codingtest.Encode("gzip", text)}
	for _, name := range codingtest.Codings {
		encoded[name] = codingtest.Encode(name, text)
	}
	encoded["deflate "] = codingtest.BareDeflate(text) // under the same name
	for key, body := range encoded {
		name := strings.TrimSpace(key)
		if !Known(name) {
			t.Errorf("%s is not known", name)
		}
		for _, size := range []int{1, 7, len(body)} {
			var got strings.Builder
			u := NewFeeder(name, 1<<20, func(b []byte) { got.Write(b) })
			for rest := body; rest != ""; {
				n := min(size, len(rest))
				u.Feed([]byte(rest[:n]))
				rest = rest[n:]
			}
			u.End()
			if got.String() != text {
				t.Errorf("%s in pieces of %d: %d bytes, want %d", key, size, got.Len(), len(text))
			}
		}
		r, err := Open(name, strings.NewReader(body[:len(body)/2]))
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if err == nil {
			t.Errorf("%s: half a body was taken for a whole one", key)
		}
	}
}

func TestUnknownCodings(t *testing.T) {
	if _, err := Open("rot13", strings.NewReader("a")); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v", err)
	}
	u := NewFeeder("rot13", 1<<20, func(b []byte) { t.Errorf("decoded %q", b) })
	defer u.End()
	if u.Feed([]byte("a")) {
		t.Error("it wants more")
	}
	for value, want := range map[string]string{"identity": "", " GZIP ": "gzip",
		"gzip, br": "gzip, br"} {
		h := http.Header{"Content-Encoding": {value}}
		if got := Of(h); got != want || got != "" && Known(got) != (got == "gzip") {
			t.Errorf("%s: %q", value, got)
		}
	}
	if got := Of(http.Header{}); got != "" {
		t.Errorf("without a header: %q", got)
	}
}
