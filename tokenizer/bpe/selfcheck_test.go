package bpe

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPrepare(t *testing.T) {
	for _, name := range append([]string{O200kHarmony}, allEncodings...) {
		if err := Prepare(name); err != nil {
			t.Error(err)
		}
	}
	if err := Prepare("p50k_edit"); err == nil {
		t.Error("an encoding that is not offered was prepared")
	}
}

// TestSampleTokens holds what the self-check wants to what tiktoken-go counts.
func TestSampleTokens(t *testing.T) {
	for _, name := range allEncodings {
		var want []int
		for _, text := range samples {
			want = append(want, len(reference(t, name).EncodeOrdinary(text)))
		}
		if got := sampleTokens[name]; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %#v", name, got, want)
		}
	}
}

// TestFallback: an engine that counts wrong is found out, and counts by the
// reference from then on, in bounded time.
func TestFallback(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	right, err := newEngine(R50kBase, splitGPT2)
	if err != nil {
		t.Fatal(err)
	}
	if err := right.check(R50kBase, patternGPT2); err != nil {
		t.Fatalf("the right engine: %v", err)
	}
	wrong, err := newEngine(R50kBase, splitCl100k)
	if err != nil {
		t.Fatal(err)
	}
	if err := wrong.check(R50kBase, patternGPT2); err == nil {
		t.Fatal("an engine with another pattern passed the check")
	}
	e := &Encoding{name: R50kBase, engine: wrong}
	ref := reference(t, R50kBase)
	for _, text := range append(samples, strings.Repeat("Some words, and 12345 more.\n", 2000)) {
		if got, want := e.CountString(text), len(ref.EncodeOrdinary(text)); got != want {
			t.Errorf("%.60q: %d tokens, want %d", text, got, want)
		}
	}
	if got, want := e.CountJSON([]byte(`don\u0027t `+
		`\"stop\"\n`)), len(ref.EncodeOrdinary("don't \"stop\"\n")); got != want {
		t.Errorf("of a JSON string: %d tokens, want %d", got, want)
	}
	start := time.Now()
	e.CountString(strings.Repeat("a", 1<<18))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("256 KB of one letter took %v", took)
	}
}
