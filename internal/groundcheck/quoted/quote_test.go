package quoted

import "testing"

func TestQuotes(t *testing.T) {
	for _, c := range []struct {
		quote, text string
		want        bool
	}{
		{"a b c", "a\tb\r\n c", true},
		{"a b", "a b c", false},
		{"a […] c", "a b c", true},
		{"[…] c", "a b c", true},
		{"b […] c", "a b c", false},
		{"c […] a", "c b a b c", false},
		{"a (…] b", "a […] b", true},
		{"(Record of earlier turns, kept by Killick: x]",
			"[Record of earlier turns, kept by Killick: x]", true},
		{"key=[redacted: github token] ok", "key=ghp_123 ok", true},
		{"key=[redacted: github token] ok", "kez=ghp_123 ok", false},
		{"a b", "a\u202e b", true},
	} {
		if got := Is(c.quote, Fold(c.text)); got != c.want {
			t.Errorf("%q of %q: %t, want %t", c.quote, c.text, got, c.want)
		}
	}
}
