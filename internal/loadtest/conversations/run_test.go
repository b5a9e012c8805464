package conversations

import (
	"errors"
	"math"
	"testing"
)

// A conversation costs what it costs, however many there are: memory for each does not grow, and no
// request makes more than three round trips.
func TestCostsDoNotGrow(t *testing.T) {
	server, err := StartServer(t.Context(), t.TempDir())
	if errors.Is(err, errNoServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	counts := []int{100, 1000}
	if testing.Short() {
		counts = []int{50, 300}
	}
	got, err := Run(t.Context(), Options{Shape: Small, Counts: counts, Replicas: 3, Sample: 50,
		Server: server})
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]uint64{elsewhere: 2, again: 1, making: 3, firstOne: 3}
	for _, s := range got.Shared {
		if s.Missed > 0 || s.Memory.Evicted > 0 || s.Stats.Dropped > 0 || s.Stats.Refused > 0 {
			t.Errorf("%d conversations: %+v", s.Conversations, s)
		}
		for _, r := range s.Requests {
			if r.Trips > most[r.Kind] {
				t.Errorf("%d conversations: %v; want %d round trips at most", s.Conversations, r,
					most[r.Kind])
			}
			if r.Commands > 20 {
				t.Errorf("%d conversations: %v; want 20 commands at most", s.Conversations, r)
			}
		}
		if keys := float64(s.Memory.Keys) / float64(s.Conversations); keys > 7.2 {
			t.Errorf("%.1f names for each of %d conversations, want 7", keys, s.Conversations)
		}
	}
	first, last := got.Shared[0].PerConversation(), got.Shared[1].PerConversation()
	if float64(last) > 1.2*float64(first) {
		t.Errorf("%d bytes for each of %d conversations, %d for each of %d", first, counts[0], last,
			counts[1])
	}
}

// The sizes that are drawn come to the means of the recorded ones.
func TestSizesAreThoseRecorded(t *testing.T) {
	var forms, originals, bytesOfForms, bytesOfOriginals, all float64
	const number = 5000
	for n := range number {
		l := Recorded.life(n)
		forms += float64(len(l.forms))
		for i, f := range l.forms {
			bytesOfForms += float64(f.packed)
			originals += float64(len(l.originals[i]))
			for _, o := range l.originals[i] {
				bytesOfOriginals += float64(o.packed)
			}
		}
	}
	all = bytesOfForms + bytesOfOriginals
	for name, c := range map[string]struct{ got, want float64 }{
		"forms":                {forms / number, 5.1},
		"originals":            {originals / number, 51.8},
		"bytes of a form":      {bytesOfForms / forms, 28856},
		"bytes of an original": {bytesOfOriginals / originals, 1193},
		"bytes":                {all / number, 209639},
	} {
		if math.Abs(c.got/c.want-1) > .12 {
			t.Errorf("%s: %.1f on average, want %.1f", name, c.got, c.want)
		}
	}
}
