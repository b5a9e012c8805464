package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A question stands at the beginning or the end of what a terse message answers.
func TestQuestionsAreShown(t *testing.T) {
	const asked = "Shall I delete the old backups?"
	for _, words := range []int{5, 90, 9000} {
		details := strings.Repeat("They are of 2024 é. ", words)
		for _, text := range []string{asked + " " + details, details + asked} {
			got := Question(text, "yes", 400)
			if !strings.Contains(got, asked) || len(got) > 600+len(Gap) ||
				!utf8.ValidString(got) || strings.Contains(got, "[…]") != (words > 5) {
				t.Errorf("%d bytes: %q", len(text), got)
			}
		}
	}
}

// An answer that is a label means the option with that label, wherever that stands.
func TestAnsweredOptionsAreShown(t *testing.T) {
	filler := strings.Repeat("It was like that before, too. ", 30)
	text := "There are several ways.\n\n" + filler + "\n\n" +
		"**A)** Keep the table and add a column.\n" + filler + "\n" +
		"- **B**: Move the rows to an archive.\n" + filler + "\n" +
		"(c) Delete them: " + filler + "\n\n1. Ask the owner.\n" + filler +
		"\n１０、待つ。\n" + filler + "\nWhich one?"
	for answer, want := range map[string][]string{
		"A": {"**A)** Keep the table"}, "b": {"**B**: Move the rows"},
		"C.": {"(c) Delete them: It was"}, "a + c!": {"**A)** Keep", "(c) Delete them"},
		"1": {"1. Ask the owner."}, "B, but wait": {"**B**: Move the rows"},
		"yes": nil, "D": nil, "ab": nil, "": nil, "１０": {"１０、待つ。"},
	} {
		got := Question(text, answer, 400)
		for _, option := range []string{"**A)** Keep", "**B**: Move", "(c) Delete them", "1. Ask",
			"１０、待つ"} {
			named := false
			for _, w := range want {
				named = named || strings.HasPrefix(w, option)
			}
			if strings.Contains(got, option) != named {
				t.Errorf("to %q: %q, want of the options only %q", answer, got, want)
			}
		}
		if !strings.HasSuffix(got, "Which one?") || !strings.HasPrefix(got, "There are") ||
			len(got) > 600+maxOptions*(maxOption+len(Gap)) || !utf8.ValidString(got) ||
			strings.Contains(got, "\n") {
			t.Errorf("to %q: %q", answer, got)
		}
	}
	short := "A) now\nB) later"
	if got := Question(short, "A", 400); got != Line(short) {
		t.Errorf("a short question: %q", got)
	}
}

// The options that an answer names stay.
func TestShorterQuestions(t *testing.T) {
	text := strings.Repeat("One thing. ", 30) + "\n1. first\n2. the second way\n3. third\n" +
		strings.Repeat("Another thing. ", 40) + "\nWhich?"
	got := ShorterQuestion(Question(text, "2", 400))
	want := strings.Repeat("One thing. ", 7) + "One" + Gap + "2. the second way" + Gap + "thing. " +
		strings.Repeat("Another thing. ", 7) + "Which?"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ShorterQuestion("Which?"); got != "Which?" {
		t.Errorf("%q, want it whole", got)
	}
}
