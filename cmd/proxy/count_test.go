package main

import (
	"strings"
	"testing"
)

// What looks like a request and is none is counted as a text, and a warning says so.
func TestCountSaysWhatIsNoRequest(t *testing.T) {
	for input, want := range map[string]string{
		`{"model":"gpt-5.1","messages":[{"role":"user","content":"hi"}]}`:    "",
		"\ufeff" + ` {"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`: "",
		`a text`:        "",
		`[1] a list`:    "",
		``:              "",
		`{"messages":[`: "invalid JSON in line 1: unexpected end",
		`{"messages":[]}` + "\n" + `{"messages":[]}`: "there is more after the first",
		"{\"messages\":[\n{]}":                       "invalid JSON in line 2: ",
		`{"model":"gpt-5.1"}`:                        `it has no "messages", "input" or "contents"`,
		`{"messages":[1]}`:                           "in the format chat",
		`{"messages":[],"messages":[]}`:              "in the format chat",
	} {
		for _, flag := range []string{"--json", "--text"} {
			var stdout, stderr strings.Builder
			code := run([]string{"count", flag, "-"}, strings.NewReader(input), &stdout, &stderr,
				nil)
			if code != exitGood || stdout.Len() == 0 {
				t.Errorf("%q: code %d, %q", input, code, stdout.String())
			}
			said, want := stderr.String(), want
			if flag == "--text" {
				want = ""
			}
			if (said == "") != (want == "") || !strings.Contains(said, want) {
				t.Errorf("count %s %q says %q, want %q", flag, input, said, want)
			}
		}
	}
}
