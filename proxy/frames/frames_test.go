package frames

import (
	"slices"
	"strings"
	"testing"

	"killick/internal/fakeconverse"
	"killick/internal/fakemessages"
)

// read returns the events of a stream that is cut in pieces.
func read(stream string, piece int) (events []string) {
	r := NewReader(func(event []byte, failed bool) {
		if failed {
			event = append([]byte("failed: "), event...)
		}
		events = append(events, string(event))
	})
	for b := []byte(stream); len(b) > 0; b = b[min(piece, len(b)):] {
		r.Feed(b[:min(piece, len(b))])
	}
	r.End()
	r.Feed([]byte("after the end"))
	return events
}

func frame(event string) string { return string(fakemessages.Frame([]byte(event))) }

func converseFrame(kind, name string) string {
	return string(fakeconverse.Frame(kind, name, map[string]string{"message": name}))
}

// Events are read wherever a stream is cut. A frame that cannot be read is the last.
func TestReader(t *testing.T) {
	one, two := frame(`{"type":"ping"}`), frame(`{"text":"\u00e9"}`)
	first, both := []string{`{"type":"ping"}`}, []string{`{"type":"ping"}`, `{"text":"\u00e9"}`}
	for name, c := range map[string]struct {
		stream string
		want   []string
	}{
		"whole":            {one + two, both},
		"nothing":          {"", nil},
		"cut":              {one + two[:len(two)-1], first},
		"a wrong checksum": {one + two[:90] + "x" + two[91:] + one, first},
		"text":             {"event: ping\ndata: {\"type\":\"ping\"}\n\n", nil},
		"no length":        {one + strings.Repeat("\x00", 64), first},
		"too long":         {one + frame(strings.Repeat("a", maxFrame)) + two, first},
		"no event in it":   {one + "\x00", first},
		"an empty event":   {frame("") + one, []string{"", first[0]}},
		"of Converse": {converseFrame("event", "messageStart") + one,
			[]string{`{"message":"messageStart"}`, first[0]}},
		"an exception": {converseFrame("exception", "validationException"),
			[]string{`failed: {"message":"validationException"}`}},
	} {
		for _, piece := range []int{1, 7, 64, 1 << 20} {
			if got := read(c.stream, piece); !slices.Equal(got, c.want) {
				t.Errorf("%s in pieces of %d: %q, want %q", name, piece, got, c.want)
			}
		}
	}
}

// No stream makes it crash, or read on after its end.
func FuzzReader(f *testing.F) {
	f.Add([]byte(frame("a")+frame("b")), uint8(9))
	f.Add([]byte(frame("a")[:20]), uint8(0))
	f.Add([]byte(converseFrame("exception", "a")+converseFrame("event", "b")), uint8(5))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		whole := read(string(stream), len(stream)+1)
		if got := read(string(stream), int(piece)+1); !slices.Equal(got, whole) {
			t.Fatalf("in pieces %q, whole %q", got, whole)
		}
	})
}
