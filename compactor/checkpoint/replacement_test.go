package checkpoint

import (
	"testing"

	"killick/compactor/settings"
)

func TestStrictModels(t *testing.T) {
	p := settings.Policy{StrictModels: []string{"mistral*", "org/exact[1]"}}
	for model, want := range map[string]bool{"mistral-7b": true, "org/exact[1]": true, "org/mistral-7b": false, "gpt-5": false, "": false} {
		if got := Strict(&p, model); got != want {
			t.Errorf("%s: got %t", model, got)
		}
	}
	if all := (settings.Policy{StrictTurns: true}); !Strict(&all, "gpt-5") {
		t.Error("strict for all leaves one out")
	}
}
