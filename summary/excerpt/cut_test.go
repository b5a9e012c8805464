package excerpt

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// Cuts are marked, do not exceed their length, and split no character.
func TestCuts(t *testing.T) {
	const text = "one two three \u00e9\u00e9\u00e9\u00e9\u00e9\u00e9 " +
		"\U0001F600\U0001F600\U0001F600 four five six seven eight nine ten"
	for n := range len(text) + 3 {
		for what, got := range map[string]string{"cut": Cut(text, n),
			"quoted": Quote(text, n)} {
			most := max(n, len("[…] "))
			if len(got) > most || !utf8.ValidString(got) ||
				got != text && !strings.Contains(got, "[…]") {
				t.Errorf("%s to %d bytes: %q", what, n, got)
			}
		}
	}
	long := "BEGIN " + strings.Repeat("x \u4e16\u754c […] y\n", 4000) + " END"
	if got := Quote(long, 300); len(got) > 300 || !strings.HasPrefix(got, "BEGIN ") ||
		!strings.HasSuffix(got, " END") || strings.Count(got, "[…]") != 1 {
		t.Errorf("a long text: %q", got)
	}
}

// A text that was cut before gets no second mark beside the first.
func TestCutsBesideCuts(t *testing.T) {
	const text = "sql=SELECT name, type FROM […] ORDER BY position, database=orders of this year"
	for n := 20; n < len(text); n++ {
		if got := Cut(text, n); strings.Contains(got, "[…] […]") {
			t.Errorf("%d: %q", n, got)
		}
	}
}

// A quote is the same whether the whole text is read for it or only its ends.
func TestQuotesOfLongTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	units := []string{"word", " ", "\n", "\t \n", "é", "你", "\u2028", "\xff", "\xe4\xbd", "[", "[…",
		"[Record of earlier turns", "[End of the record", " […] ", strings.Repeat("x", 50),
		strings.Repeat(" ", 300)}
	for range 20_000 {
		var b strings.Builder
		for b.Len() < 100+r.IntN(3000) {
			b.WriteString(units[r.IntN(len(units))])
		}
		text, n := b.String(), 1+r.IntN(400)
		if got, want := Quote(text, n), Cut(Line(text), n); got != want {
			t.Fatalf("a quote of %d bytes of %q\nis   %q\nwant %q", n, text, got, want)
		}
	}
}

// A quote is cut between words where there are any: half a path is a name that nobody wrote.
func TestCutsAreBetweenWords(t *testing.T) {
	for _, c := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"a path at either cut", "Moved all of it into src/harbour/oven.go and then we baked the " +
			"bread, see docs/bread/baking.md for how it is done now", 64,
			"Moved all of it into […] for how it is done now"},
		{"cuts that are between words already", "one two three four five six seven eight", 24,
			"one two […] eight"},
		{"a word of more than half of an end", "Stage the payment pipeline before the batch, " +
			"escalation owner", 39, "Stage the payment […] owner"},
		{"no spaces", strings.Repeat("パン", 30), 40, "パンパンパンパ […] パンパン"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Quote(c.text, c.n); got != c.want || len(got) > c.n {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
