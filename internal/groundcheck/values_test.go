package groundcheck

import "testing"

func TestValuesOfObjectsInOthers(t *testing.T) {
	const result = `{"ok":true,"issue":{"key":"K-1","by":{"id":7}}}`
	for shown, want := range map[string]bool{
		"ok: true; issue.key: K-1": true, "issue.key: K-1; issue.by.id: 7": true,
		"issue.key: K-2": false, "key: K-1": false, "issue.id: 7": false,
		"issue.key: K-1; ok: true": false,
	} {
		if _, ok := listsValues(shown, result); ok != want {
			t.Errorf("%q: %t, want %t", shown, ok, want)
		}
	}
}
