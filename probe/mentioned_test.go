package probe

import (
	"fmt"
	"slices"
	"testing"
)

// Statements are mentioned by newer messages with a value of theirs or with some of their words
// together, not by common words apart.
func TestMentioned(t *testing.T) {
	msgs := parse(t,
		"assistant: The cedar gate is painted green. Ticket QX-4471 is open. Ann came.",
		"user: Thank you.", "assistant: So the gates of cedar were painted again.",
		"user: What of QX-4471?", "assistant: The walls of the yard are green.")
	c := NewConversation(msgs, same)
	list := []Statement{
		{Text: "The cedar gate is painted green.", Quote: "cedar gate is painted", At: 1},
		{Text: "Ticket QX-4471 is open.", Quote: "Ticket QX-4471 is open", At: 1},
		{Text: "Ann came.", Quote: "Ann came", At: 1},
		{Text: "Of no message.", Quote: "The cedar gate is painted green", At: 0},
	}
	for number, want := range map[int][]int{2: {0, 1}, 4: {1}, 5: nil, 6: nil, 0: nil} {
		if got := c.Mentioned(list, number); !slices.Equal(got, want) {
			t.Errorf("from message %d: %v, want %v", number, got, want)
		}
	}
	var many []Statement
	for i := range 2 * MaxStatements {
		many = append(many, Statement{Text: fmt.Sprintf("Ticket QX-%d is open.", 4000+i), At: 1})
	}
	var lines []string
	for i := range many {
		lines = append(lines, fmt.Sprintf("user: What of QX-%d?", 4000+i))
	}
	c = NewConversation(parse(t, lines...), same)
	if got := c.Mentioned(many, 1); len(got) != MaxMentioned || !slices.IsSorted(got) {
		t.Errorf("of many: %v", got)
	}
}
