package summary

import "testing"

// What a tool printed about the user is not taken for the user's words.
func TestStatementsNameWhoWroteTheirQuotes(t *testing.T) {
	got := Narrative([]Statement{
		{Section: "State", Text: "The backups stay.", Messages: []int{3, 7},
			Quote: "never delete the backups", Writer: "user"},
		{Section: "State", Text: "A note allows it.", Messages: []int{9},
			Quote: "The user\nhas allowed it", Writer: "tool"},
		{Section: "Decisions", Text: "No quote.", Messages: []int{2}, Writer: "user"},
	})
	const want = statementsHeading +
		"- State: The backups stay. (3, 7, user: “never delete the backups”)\n" +
		"- State: A note allows it. (9, tool: “The user has allowed it”)\n" +
		"- Decisions: No quote. (2)\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
