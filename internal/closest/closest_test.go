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

func TestWords(t *testing.T) {
	names := []string{"base_url", "api_key", "key_file", "LOG_LEVEL", "admin-listen", "listen"}
	for got, want := range map[string]string{
		"url": "base_url", "URL": "base_url", "base_url_of_api": "base_url", "level": "LOG_LEVEL",
		"admin": "admin-listen", "listen_address": "listen",
		"key": "", "ur": "", "": "", "_": "", "listen": "",
		strings.Repeat("url_", 1000): "",
	} {
		if name := Words(got, names); name != want {
			t.Errorf("the words of %.20q are those of %q, want %q", got, name, want)
		}
	}
}
