package workset

import "testing"

// A file that another call of the same message may have changed is not called older than itself.
func TestChangesInTheSameMessage(t *testing.T) {
	for _, c := range []struct {
		touched int
		want    string
	}{
		{0, "written in message 3:"},
		{3, "written in message 3, before another call of this message, which may have changed " +
			"the file:"},
		{5, "written in message 3, before message 5, which may have changed the file:"},
	} {
		if got := (&Block{At: 3, Kind: Written, Touched: c.touched}).label(); got != c.want {
			t.Errorf("changed in message %d: %q, want %q", c.touched, got, c.want)
		}
	}
}
