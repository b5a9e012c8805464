package excerpt

import "testing"

func TestShorterEnds(t *testing.T) {
	counted := "one two three [… 9 lines in all …] seven eight nine"
	for n, want := range map[int]string{
		100: counted, 46: "one two [… 9 lines in all …] eight nine",
		5: "[… 9 lines in all …]",
	} {
		if got := ShorterEnds(counted, n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := ShorterEnds("one two three four five six", 25); got != "one two […] five six" {
		t.Errorf("%q", got)
	}
}
