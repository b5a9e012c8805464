package main

import (
	"strings"
	"testing"
)

// What shells offer is accepted, and what is accepted is offered.
func TestCompletion(t *testing.T) {
	complete := func(args ...string) []string {
		var stdout, stderr strings.Builder
		args = append([]string{"__complete"}, args...)
		if code := run(args, strings.NewReader(""), &stdout, &stderr, nil); code != exitGood {
			t.Fatalf("%q: code %d, %s", args, code, stderr.String())
		}
		values := stdout.String()
		return strings.Fields(values[:strings.LastIndexByte(values, ':')])
	}
	flags := map[string]string{"mode": "KILLICK_COMPACTION_MODE",
		"profile": "KILLICK_COMPACTION_PROFILE", "log-level": "KILLICK_LOG_LEVEL",
		"log-format": "KILLICK_LOG_FORMAT"}
	for flag, variable := range flags {
		values := complete("serve", "--"+flag, "")
		if len(values) < 3 {
			t.Errorf("--%s: offered %q", flag, values)
		}
		for _, value := range values {
			var stdout, stderr strings.Builder
			if code := run([]string{"check"}, nil, &stdout, &stderr,
				[]string{variable + "=" + value}); code != exitGood {
				t.Errorf("--%s %s: %s", flag, value, stderr.String())
			}
		}
	}
	for _, c := range []struct {
		want string // one of what is offered
		args []string
	}{
		{"gpt-5.1", []string{"prices", ""}},
		{"gpt-5.1", []string{"check", "--model", ""}},
		{"yaml", []string{"serve", "--config", ""}},
		{"yaml", []string{"check", ""}},
		{"odd", []string{"replay", "--half", ""}},
		{"serve", []string{"help", ""}},
	} {
		if got := complete(c.args...); !strings.Contains(" "+strings.Join(got, " ")+" ",
			" "+c.want+" ") {
			t.Errorf("%q: offered %q, want %s among them", c.args, got, c.want)
		}
	}
}
