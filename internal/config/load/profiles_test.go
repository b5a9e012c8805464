package load

import (
	"strings"
	"testing"
)

// A target that is not set follows any trigger.
func TestTargetsThatFollow(t *testing.T) {
	for text, want := range map[string]string{
		"compaction: {trigger: 60000}":                 "60000 to 35000",
		"compaction: {trigger: 60000, target: auto}":   "60000 to 35000",
		"compaction: {trigger: auto, target: auto}":    "auto to auto",
		"compaction: {target: 5000}":                   "auto to 5000",
		"compaction: {profile: guard, trigger: 30000}": "30000 to 20000",
	} {
		s, err := Config(Sources{File: write(t, text)})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := s.Compaction.Trigger.String() + " to " + s.Compaction.Target.String()
		if policy := s.Policy(); got != want || policy.Auto != strings.HasPrefix(want, "auto") ||
			policy.Target == 0 && !policy.Auto {
			t.Errorf("%s: %s, policy %v, want %s", text, got, policy.Target, want)
		}
	}
	if _, err := Config(Sources{File: write(t, "compaction: {protect: auto}")}); err == nil {
		t.Error("protect: auto is accepted")
	}
}
