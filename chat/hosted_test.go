package chat

import (
	"bytes"
	"strings"
	"testing"

	"killick/internal/viewtest"
)

// The pages that a reply cites are read, and are a part of what the message is.
func TestCitedPagesAreRead(t *testing.T) {
	const raw = `{"role":"assistant","content":"x","annotations":[{"type":"url_citation",
		"url_citation":{"url":"https://a.example","title":"A","start_index":0}},{"type":"file"}]}`
	m, err := ParseMessage([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := viewtest.Cited(&m), `"A" https://a.example`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for change, same := range map[[2]string]bool{
		{"a.example", "b.example"}:             false,
		{`"start_index":0`, `"start_index":9`}: true,
	} {
		other, err := ParseMessage([]byte(strings.Replace(raw, change[0], change[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Equal(m.AppendCanonical(nil), other.AppendCanonical(nil)); got != same {
			t.Errorf("%s: the same %t, want %t", change, got, same)
		}
	}
}
