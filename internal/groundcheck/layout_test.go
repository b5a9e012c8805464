package groundcheck

import (
	"testing"

	"killick/internal/groundcheck/conversation"
)

// Of messages with the same words, any may be the one that stands above a record.
func TestWhichMessageStandsAbove(t *testing.T) {
	conv, err := conversation.Read([]byte(`{"messages":[{"role":"user","content":"Bake."},` +
		`{"role":"user","content":"yes"},{"role":"user","content":"yes"},` +
		`{"role":"user","content":"no"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{client: conv}
	for stated, want := range map[string]bool{
		"1, 2": true, "1, 3": true, "1, 4": false, "1": false, "3, 2": false, "1, 9": false,
		"1, two": false,
	} {
		if got := c.sameWords(stated, []string{"1", "2"}); got != want {
			t.Errorf("%q: %t", stated, got)
		}
	}
}
