package fakeupstream

import (
	"strings"
	"testing"
)

func TestStrictTurns(t *testing.T) {
	const (
		s = `{"role":"system","content":"s"}`
		u = `{"role":"user","content":"u"}`
		a = `{"role":"assistant","content":"a"}`
		c = `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",` +
			`"function":{"name":"f","arguments":"{}"}}]}`
		r = `{"role":"tool","tool_call_id":"1","content":"r"}`
	)
	server := start(t, Config{StrictTurns: true})
	for name, test := range map[string]struct {
		messages []string
		ok       bool
	}{
		"a turn":                      {[]string{u}, true},
		"turns":                       {[]string{s, s, u, a, u}, true},
		"calls are no turns":          {[]string{u, c, r, c, r, a, u}, true},
		"instructions are none":       {[]string{u, a, s, u}, true},
		"two users":                   {[]string{u, a, u, u}, false},
		"two users, instructions too": {[]string{u, s, u}, false},
		"two users about a call":      {[]string{u, c, r, u}, false},
		"two assistants":              {[]string{u, a, a}, false},
		"assistant first":             {[]string{s, a, u}, false},
	} {
		body := `{"model":"m","messages":[` + strings.Join(test.messages, ",") + `]}`
		if err := CheckTurns([]byte(body)); (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
		}
		status := 200
		if !test.ok {
			status = 400
		}
		if got := ask(t, server, body).status; got != status {
			t.Errorf("%s: the server answers %d, want %d", name, got, status)
		}
	}
	if err := CheckTurns([]byte(`{`)); err == nil {
		t.Error("what is not a request is accepted")
	}
}
