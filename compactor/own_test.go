package compactor

import (
	"strings"
	"testing"

	"killick/compactor/settings"
)

// What one of several upstreams requires also holds for models with settings of their own.
func TestStrictUpstreamsAndModelsOfTheirOwn(t *testing.T) {
	policy := settings.Policy{Own: earlier}
	at := New(Options{Policy: policy, Counter: byBytes}).At("local", settings.NoWindows{}, true)
	p := at.settings.For("m")
	if !p.Strict("m") || p.Trigger != 1000 || p.Target != settings.DefaultTarget {
		t.Errorf("strict %t, past %v to %v", p.Strict("m"), p.Trigger, p.Target)
	}
}

// A body that does not name its model early or late may exceed the model's own trigger.
func TestFitsHeedsOwnTriggers(t *testing.T) {
	e := New(Options{Policy: settings.Policy{Own: earlier}, Counter: byBytes, Store: newMemStore()})
	text := `"messages":[{"role":"user","content":"` + strings.Repeat("x", 1500) + `"}]`
	for body, want := range map[string]bool{
		"{" + text + "}":                   false,
		`{"model":"m",` + text + "}":       false,
		`{"model":"another",` + text + "}": true,
	} {
		if got := e.Fits([]byte(body), "", "ann"); got != want {
			t.Errorf("%.20s: %t", body, got)
		}
	}
}

// earlier gives the model m a trigger of its own.
func earlier(model string, p settings.Policy) settings.Policy {
	if model == "m" {
		p.Trigger, p.Target = 1000, 0
	}
	return p
}
