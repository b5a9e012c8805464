package main

import (
	"fmt"
	"strings"
	"testing"
)

// A secret must not get out by any way of printing.
func TestSecretsDoNotPrint(t *testing.T) {
	s, err := load(sources{env: []string{"KILLICK_UPSTREAM_API_KEY=sk-very-secret"}})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Config
	var out strings.Builder
	if err := printSettings(&out, s); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "%v %+v %#v %s %q", c, c, c, c.Upstream.APIKey, c.Upstream.APIKey)
	newLogger(Log{Level: "info", Format: "json"}, &out).Info("x", "config", c.Upstream, "key", c.Upstream.APIKey)
	newLogger(Log{Level: "info", Format: "text"}, &out).Info("x", "config", c.Upstream, "key", c.Upstream.APIKey)
	if strings.Contains(out.String(), "very-secret") {
		t.Errorf("the key shows in\n%s", out.String())
	}
	if n := strings.Count(out.String(), "********"); n < 8 {
		t.Errorf("%d masked keys, want one each time", n)
	}
}
