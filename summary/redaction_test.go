package summary

import (
	"strings"
	"testing"

	"killick/summary/excerpt"
)

// The question that a terse answer refers to is redacted before its end is taken, so that no end of
// a credential is left.
func TestQuestionsAreRedactedWhole(t *testing.T) {
	const secret = "SECRET-0123456789abcdef"
	question := "Use " + secret + strings.Repeat(" ", excerpt.MostRead-8)
	src := sourceOf(t, talk(user("Begin, please."), assistant(question), user("yes")))
	src.Redact = func(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") }
	if q := src.UserQuote(2); q.Answers == nil || strings.Contains(q.Answers.Text, secret[12:]) {
		t.Errorf("quoted %+v, want no part of the credential", q.Answers)
	}
}

// A credential is removed before the text around it is cut, since half of one is not recognized.
func TestCredentialsAreRemovedBeforeCuts(t *testing.T) {
	secret := strings.Repeat("x7", 100)
	long := strings.Repeat("a", 60) + secret + strings.Repeat("b", 400)
	msgs := talk(user("Mend the oven."), run("login "+long, "0", "ok"),
		call("lookup", `{"id":"`+long+`"}`, long), run("whoami", "0", long),
		call("fetch", `{"id":"1"}`, "Error: "+long))
	src := sourceOf(t, msgs)
	src.Redact = func(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") }
	sum := Read(src, src.CallsBefore(len(msgs)), 0, len(msgs), &Summary{})
	if record := sum.Render(wide); strings.Contains(record, "x7x7") {
		t.Errorf("a part of the credential is there:\n%s", record)
	}
}
