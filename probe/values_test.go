package probe

import (
	"strings"
	"testing"
	"time"

	"killick/probe/normal"
	"killick/probe/value"
)

// No content of a conversation takes more than linear time.
func TestHostileTexts(t *testing.T) {
	const size = 200 << 10
	for _, unit := range []string{"a", "a/", "a.", "1.", "1,", "v1.", "`", "`a", "://", "http://a/",
		"aB", "a_", "检", "검", "x ", "@", "#1", "\\", ":1", "4f2a9c1"} {
		long := strings.Repeat(unit, size/len(unit))
		started := time.Now()
		x := NewIndex(parse(t, "user: "+long, "assistant: "+long), 1)
		x.Ground(x.Locate([]Statement{{Text: long, Quote: long},
			{Text: normal.Clip(long, 400), Quote: normal.Clip(long, 400)}}))
		expected := normal.Clip(long, 150)
		x.Accept([]Question{{Category: Recall, Text: "What is it?", Expected: expected}})
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%q repeated to %d bytes took %v", unit, size, took)
		}
	}
}

func FuzzValues(f *testing.F) {
	for _, seed := range []string{"src/auth.go:42 10ms $4.20", "https://a.b/c?d", "`x` v1.2.3-rc1",
		"１２３４ 検索 a_b", "\xff/\\:", "1.234,5 €"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x := NewIndex(parse(t, "user: "+text), 1)
		for _, v := range value.In(strings.ToValidUTF8(text, "\uFFFD")) {
			if v.Kind != value.Code && !x.holdValue(&v, []int{0}) {
				t.Errorf("%s %q of the text itself is not in it", v.Kind, v.Text)
			}
		}
	})
}
