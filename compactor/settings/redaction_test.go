package settings

import (
	"slices"
	"strings"
	"testing"
)

// A name that is a credential where it stands is listed nowhere, not even from a part in which
// nothing tells that it is one.
func TestNamesWithoutCredentials(t *testing.T) {
	const secret = "src/secret_value.go"
	redact := Redaction(func(s string) string {
		return strings.ReplaceAll(s, "password: "+secret, "password: ***")
	})
	none := func(string) bool { return false }
	text := "see src/main.go\npassword: " + secret
	for _, part := range []string{text, "password: " + secret, secret} {
		if got := redact.NamesIn(text)(part, 1000, none); slices.Contains(got, secret) {
			t.Errorf("of %q: %q", part, got)
		}
	}
	names := redact.NamesIn(text)
	if got := names(text, 1000, none); !slices.Contains(got, "src/main.go") {
		t.Errorf("another name is missing: %q", got)
	}
	skip := func(word string) bool { return word == "src/main.go" }
	if got := names(text, 1000, skip); slices.Contains(got, "src/main.go") {
		t.Errorf("it was to be skipped: %q", got)
	}
	for _, harmless := range []Redaction{nil, redact} {
		got := harmless.NamesIn("see src/main.go")("see src/main.go", 1000, none)
		if !slices.Contains(got, "src/main.go") || harmless.Of("plain") != "plain" {
			t.Errorf("without a credential: %q", got)
		}
	}
}
