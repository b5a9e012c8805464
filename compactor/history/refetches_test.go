package history

import (
	"testing"

	"killick/transcript"
)

// What each call of a script returned is not known: a call that repeats one of them returned
// something of its own.
func TestCallsOfScriptsAreNotCompared(t *testing.T) {
	script := &transcript.Call{}
	for name, c := range map[string]struct {
		call, before *transcript.Call
		want         bool
	}{
		"the first time":      {&transcript.Call{Result: 1}, nil, false},
		"by a script before":  {&transcript.Call{Result: 1}, &transcript.Call{Via: script}, false},
		"by a script now":     {&transcript.Call{Result: 1, Via: script}, &transcript.Call{}, true},
		"without a result":    {&transcript.Call{Result: -1}, &transcript.Call{}, false},
		"without one, before": {&transcript.Call{Result: 1}, &transcript.Call{Result: -1}, false},
	} {
		if got := same(nil, c.call, c.before); got != c.want {
			t.Errorf("%s: the same: %t, want %t", name, got, c.want)
		}
	}
}
