package summary

import (
	"fmt"
	"strings"
	"testing"
)

// In a chat without tools, what the assistant said is in no other place: many short quotes of it
// are worth more than a few long ones.
func TestOlderQuotesAreShorterWithoutRoom(t *testing.T) {
	msgs := talk(user("Rate the applicants."))
	for i := range 12 {
		analysis := strings.Repeat("The answers were weighed one by one. ", 14)
		msgs = append(msgs, talk(
			assistant(fmt.Sprintf("Applicant %d: %d points of 10. %sWho is number %d?", i, i%7+3,
				analysis, i+1)),
			user(fmt.Sprintf("Number %d", i+1)))...)
	}
	msgs = append(msgs, talk(assistant("Next."))...)
	sum := summarized(t, msgs)
	record := sum.Render(Room{Summary: 4000, All: 4000})
	rated := 0
	for i := range 12 {
		if strings.Contains(record, fmt.Sprintf("Applicant %d: %d points of 10.", i, i%7+3)) {
			rated++
		}
	}
	if rated < 10 {
		t.Errorf("%d ratings of 12, want 10:\n%s", rated, record)
	}
	ample := sum.Render(Room{Summary: 32_000, All: 32_000})
	if n := strings.Count(ample, "The answers were weighed"); n < 12*13 {
		t.Errorf("with room, %d sentences", n)
	}
}
