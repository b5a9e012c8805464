package settings

import "testing"

func TestStrictModels(t *testing.T) {
	p := Policy{StrictModels: map[string]bool{"mistral*": true, "org/exact[1]": true,
		"mistral-8*": false}}
	for model, want := range map[string]bool{
		"mistral-7b": true, "org/exact[1]": true, "org/mistral-7b": false, "gpt-5": false,
		"mistral-8b": false,
		"":           false,
	} {
		if got := p.Strict(model); got != want {
			t.Errorf("%s: got %t", model, got)
		}
	}
	if all := (Policy{StrictTurns: true}); !all.Strict("gpt-5") {
		t.Error("strict for all leaves one out")
	}
}
