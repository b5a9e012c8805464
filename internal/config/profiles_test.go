package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Each profile sets every key that any profile sets, so that the result does not depend on the
// previous one.
func TestProfilesDoNotDependOnOneAnother(t *testing.T) {
	for name := range profiles {
		var want Compaction
		want.SetProfile(name)
		for before := range profiles {
			var got Compaction
			got.SetProfile(before)
			if got.SetProfile(name); !reflect.DeepEqual(got, want) {
				t.Errorf("%s after %s: %+v, want %+v", name, before, got, want)
			}
		}
	}
}

// A target that is not set follows any trigger.
func TestTargetsThatFollow(t *testing.T) {
	for text, want := range map[string]string{
		"compaction: {trigger: 60000}":                 "60000 to 35000",
		"compaction: {trigger: 60000, target: auto}":   "60000 to 35000",
		"compaction: {trigger: auto, target: auto}":    "auto to auto",
		"compaction: {target: 5000}":                   "auto to 5000",
		"compaction: {profile: guard, trigger: 30000}": "30000 to 20000",
	} {
		file := filepath.Join(t.TempDir(), "killick.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(Sources{File: file})
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
	file := filepath.Join(t.TempDir(), "killick.yaml")
	if err := os.WriteFile(file, []byte("compaction: {protect: auto}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Sources{File: file}); err == nil {
		t.Error("protect: auto is accepted")
	}
}
