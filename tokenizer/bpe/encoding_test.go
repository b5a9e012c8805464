package bpe

import (
	"testing"
)

func TestLoad(t *testing.T) {
	for _, name := range append([]string{O200kHarmony}, allEncodings...) {
		e, err := Load(name)
		if err != nil || e.Name() != name {
			t.Errorf("Load(%q) = %v, %v", name, e, err)
		}
	}
	if _, err := Load("p50k_edit"); err == nil {
		t.Error("an encoding that is not offered was loaded")
	}
	if mustLoad(O200kHarmony).engine != mustLoad(O200kBase).engine {
		t.Error("two encodings of the same ranks were built twice")
	}
}

// TestLongS: OpenAI's code folds a long s to s, so that both are contractions;
// tiktoken-go, which we follow elsewhere, does not.
func TestLongS(t *testing.T) {
	for _, test := range []struct {
		split splitter
		text  string
		want  int
	}{
		{splitO200k, "it's",
			4}, {splitO200k, "it'ſ", 5}, {splitO200k, "it'ſabc", 5}, {splitO200k, "it'ß", 2},
		{splitCl100k, "'ſabc", 3}, {splitCl100k, "'Sabc", 2},
		{splitGPT2, "'ſabc", 1}, {splitGPT2, "'sabc", 2}, {splitGPT2, "'Sabc", 1},
	} {
		mustLoad(O200kBase)
		if got := test.split([]byte(test.text), 0); got != test.want {
			t.Errorf("the first piece of %q has %d bytes, want %d", test.text, got, test.want)
		}
	}
}
