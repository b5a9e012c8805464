package closest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	names := []string{"trigger", "target", "mode", "api_key", "listen"}
	for got, want := range map[string]string{
		"triger": "trigger", "Trigger": "trigger", "tigger": "trigger", "targte": "target",
		"apikey": "api_key",
		"lsiten": "listen", "mod": "mode", "": "", "x": "",
		"completely": "", strings.Repeat("trigger", 1000): "",
	} {
		if name := Name(got, names); name != want {
			t.Errorf("closest to %.20q is %q, want %q", got, name, want)
		}
	}
}
