package settings

import (
	"slices"
	"strings"
	"testing"

	"killick/reference"
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
		got := redact.NamesIn(text)(part, reference.In(part), 1000, none)
		if slices.Contains(got, secret) {
			t.Errorf("of %q: %q", part, got)
		}
	}
	names := redact.NamesIn(text)
	if got := names(text, reference.In(text), 1000, none); !slices.Contains(got, "src/main.go") {
		t.Errorf("another name is missing: %q", got)
	}
	skip := func(word string) bool { return word == "src/main.go" }
	if got := names(text, reference.In(text), 1000, skip); slices.Contains(got, "src/main.go") {
		t.Errorf("it was to be skipped: %q", got)
	}
	const plain = "see src/main.go"
	for _, harmless := range []Redaction{nil, redact} {
		got := harmless.NamesIn(plain)(plain, reference.In(plain), 1000, none)
		if !slices.Contains(got, "src/main.go") || harmless.Of("plain") != "plain" {
			t.Errorf("without a credential: %q", got)
		}
	}
}

// A long text is read once, whoever asks for it. No redaction stays none.
func TestLongTextsAreReadOnce(t *testing.T) {
	read := 0
	once := Redaction(func(text string) string {
		read++
		return strings.ReplaceAll(text, "secret", "[redacted]")
	}).Once()
	long := strings.Repeat("a secret ", 1000)
	for range 3 {
		if got := once(long); strings.Contains(got, "secret") {
			t.Fatalf("the secret stays: %.40s", got)
		}
	}
	if read != 1 {
		t.Errorf("read %d times, want once", read)
	}
	if once(long+"secret") == once(long) || once("secret") != "[redacted]" {
		t.Error("another text has the result of the first")
	}
	if Redaction(nil).Once() != nil {
		t.Error("no redaction became one")
	}
}
