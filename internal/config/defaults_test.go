package config

import (
	"reflect"
	"testing"
)

// Each profile sets every key that any profile sets, so that the result does not depend on the
// previous one.
func TestProfilesDoNotDependOnOneAnother(t *testing.T) {
	for _, name := range Profiles {
		var want Compaction
		want.SetProfile(name)
		for _, before := range Profiles {
			var got Compaction
			got.SetProfile(before)
			if got.SetProfile(name); !reflect.DeepEqual(got, want) {
				t.Errorf("%s after %s: %+v, want %+v", name, before, got, want)
			}
		}
	}
}
