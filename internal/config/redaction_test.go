package config

import "testing"

func TestRedactionReadsBooleans(t *testing.T) {
	for text, want := range map[string]Redaction{
		"true": RedactSummaries, "on": RedactSummaries, "summaries": RedactSummaries,
		"All": RedactAll, "false": RedactOff, "off": RedactOff,
	} {
		var got Redaction
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	if RedactSummaries.version() == RedactAll.version() ||
		RedactAll.version() == RedactOff.version() {
		t.Error("two redactions share what they render")
	}
	if RedactOff.Redactor() != nil ||
		RedactAll.Redactor()("password: hunter22") == "password: hunter22" {
		t.Error("off redacts, or all does not")
	}
}
