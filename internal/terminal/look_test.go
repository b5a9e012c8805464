package terminal

import (
	"bytes"
	"strings"
	"testing"
)

// from looks variables up in a list of name=value.
func from(env ...string) func(string) string {
	return func(name string) string {
		for _, pair := range env {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestLook(t *testing.T) {
	if got := LookOf(&bytes.Buffer{}, from("TERM=xterm", "LANG=C.UTF-8"), false); got != Plain {
		t.Errorf("a buffer looks like %+v", got)
	}
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{[]string{"LANG=en_GB.UTF-8"}, true},
		{[]string{"LANG=C.utf8"}, true},
		{[]string{"LANG=en_GB.UTF-8", "LC_ALL=C"}, false},
		{[]string{"LC_CTYPE=POSIX"}, false},
	} {
		if got := speaksUTF8(from(c.env...)); got != c.want {
			t.Errorf("%q speaks UTF-8: %t, want %t", c.env, got, c.want)
		}
	}
}
