package config

import (
	"os"
	"path/filepath"
	"testing"
)

// A pin or a name in another encoding would never match, so such a file is rejected.
func TestNotText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "killick.yaml")
	for _, c := range []struct{ name, text, where string }{
		{"Latin-1", "compaction:\n  pin: [caf\xe9]\n", file + ":2"},
		{"UTF-16", "\xff\xfel\x00i\x00", file + ":1"},
		{"zero bytes", "listen: \x00:8080\n", file + ":1"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(Sources{File: file})
		if want := c.where + ": " + notText; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", c.name, err, want)
		}
	}
	_, err := Load(Sources{Env: []string{"KILLICK_COMPACTION_PIN=caf\xe9"}})
	const want = "KILLICK_COMPACTION_PIN: compaction.pin: is not UTF-8 text"
	if err == nil || err.Error() != want {
		t.Errorf("a variable: got %v, want %s", err, want)
	}
}
