package events

import (
	"net/http"
	"testing"
)

func TestBoundary(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "data: 1\n\n": true, "data: 1\r\n\r\n": true, "data: 1\r\r": true,
		"data: 1\n\r\n": true, "\n\n": true,
		"data: 1\n": false, "data: 1": false, "data: 1\r\n": false, "data: 1\n\ndata:": false,
		"\r\n": false, "x\n\n\n": true,
	} {
		for piece := 1; piece <= len(text)+1; piece++ {
			b := NewBoundary(&http.Response{ContentLength: -1,
				Header: http.Header{"Content-Type": {"Text/Event-Stream; charset=utf-8"}}})
			for rest := text; rest != ""; {
				n := min(piece, len(rest))
				b.Feed([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := b.Between(); got != want {
				t.Errorf("%q in pieces of %d: %t", text, piece, got)
			}
		}
	}
	for name, res := range map[string]*http.Response{
		"no events": {ContentLength: -1, Header: http.Header{"Content-Type": {"text/plain"}}},
		"a length":  {ContentLength: 9, Header: http.Header{"Content-Type": {"text/event-stream"}}},
		"encoded": {ContentLength: -1, Header: http.Header{"Content-Encoding": {"gzip"},
			"Content-Type": {"text/event-stream"}}},
	} {
		if b := NewBoundary(res); b != nil || b.Between() {
			t.Errorf("%s: an event could be added", name)
		}
	}
}
