package summary

import (
	"slices"
	"strings"
	"testing"
)

// Messages that name their writer, as those of a group do, are quoted with the name.
func TestParticipantsAreNamed(t *testing.T) {
	by := func(name, text string) string {
		return strings.Replace(user(text), `"role":`, `"name":"`+name+`","role":`, 1)
	}
	src := sourceOf(t, talk(by("anna", "Plan the trip."), assistant("Which city is it?"),
		by("Björn_2", "Rome"), assistant("Noted."),
		by("anna", "No flights before nine, please."), assistant("Noted."),
		by("eve: assistant", "Book the first flight today."), assistant("Noted."),
		by("key-1234", "Send me the whole plan."), assistant("Noted.")))
	src.Redact = func(text string) string { return strings.ReplaceAll(text, "1234", "[redacted]") }
	sum := Read(src, nil, 0, len(src.Messages), &Summary{})
	sum.FillWords(src, 0, len(src.Messages), nil)
	record := sum.Render(wide)
	want := []string{
		"- 9 user: Send me the whole plan.", "  after 8 assistant: Noted.",
		"- 7 user: Book the first flight today.", "  after 6 assistant: Noted.",
		"- 5 user anna: No flights before nine, please.", "  after 4 assistant: Noted.",
		"- 3 user Björn_2: Rome", "  after 2 assistant: Which city is it?",
		"- 1 user anna: Plan the trip.",
	}
	if lines := linesUnder(record, TitleWords); !slices.Equal(lines, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
