package model

import (
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		text                   string
		declines, acknowledges bool
	}{
		{"I'm sorry, but I can't help with that.", true, false},
		{"I\u2019m unable to do this.", true, false},
		{"As an AI, I do not keep records.", true, false},
		{"Sure! I'll write that up for you now.", false, true},
		{"Certainly.", false, true},
		{"Okay then", false, true},
		{"Let me write the record.", false, true},
		{"Here is the record:", false, true},
		{"", false, false},
		// What only looks like one.
		{"Yes, fix it now.", false, true},
		{"Surely the port is 8443.", false, false},
		{"I cannotate the map", false, false},
		{"The user said sorry, I can't reproduce it.", false, false},
		{"Noted failures: the login test fails on line 7 since the port was changed to 8443, " +
			"the migration was rolled back, and nothing else is known, except that staging works.",
			false, false},
		{"OK" + strings.Repeat("，修复登录页面", 20), false, false},
		{"修复登录页面", false, false},
	} {
		if got := declines(test.text); got != test.declines {
			t.Errorf("%q declines: %v", test.text, got)
		}
		if got := acknowledges(test.text); got != test.acknowledges {
			t.Errorf("%q acknowledges: %v", test.text, got)
		}
	}
}
