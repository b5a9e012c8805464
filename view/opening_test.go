package view_test

import (
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// Many conversations of one client begin with the same message, as those of a script do: each is
// known at its next turn, from the first one on.
func TestConversationsThatBeginAlikeAreKnown(t *testing.T) {
	const many = 4 * view.MaxBranches
	var p view.Parser
	body := func(i, turns int) []byte {
		b := `{"model":"m","messages":[{"role":"system","content":"s"},` +
			`{"role":"user","content":"Review this. ` + strings.Repeat("Be brief. ", 500) + `"}`
		for n := range turns {
			b += fmt.Sprintf(`,{"role":"assistant","content":"I look at part %d of request %d."},`+
				`{"role":"user","content":"%s"}`, n, i, strings.Repeat("x", 600))
		}
		return []byte(b + `]}`)
	}
	for turns := range 4 {
		for i := range many {
			req, err := p.Parse(chat.Format, "ann", body(i, turns))
			if err != nil {
				t.Fatal(err)
			}
			value, n := req.Memory().Load("whose")
			if turns > 1 && (value != i || n != 2*turns-1) {
				t.Fatalf("turn %d of conversation %d: %d messages of %v are known, want %d", turns,
					i, n, value, 2*turns-1)
			}
			req.Memory().Store("whose", i, len(req.Messages())-1, 8)
		}
	}
}
