package probe

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever statements and messages hold, other passages are valid text of one line, of the messages
// that they name, and within their room.
func FuzzOtherPassages(f *testing.F) {
	f.Add("the hedge is privet", "Then the hedge is privet.", "No hedge, after all.", 1)
	f.Add("８０８０番", "ポートは８０８０番です。", "ポートは9090番に変えました。\x00\u202e", 1)
	f.Add("a\xffb c\xff", "a\xffb c\xff d", strings.Repeat("c\xff d/e.f ", 100), 1)
	f.Add("", "", "", 3)
	f.Fuzz(func(t *testing.T, quote, first, second string, at int) {
		msgs := parse(t, "user: "+first, `call bash {"command":"ls"}`, "tool: "+second,
			"assistant: "+second+" "+first, "user: "+second)
		x, c := NewIndex(msgs, 1), NewConversation(msgs, same)
		statements := []Statement{{Section: "state", Text: quote, Quote: quote, At: at},
			{Section: "open", Text: first, Quote: second, At: 1}}
		kept, _ := x.Ground(x.Locate(statements))
		kept, _ = c.Passages(kept)
		for _, list := range [][]Statement{statements, kept} {
			size := 0
			for _, p := range c.Others(list) {
				size += len(p.Text)
				if p.Message < 1 || p.Message > len(msgs) || p.Text == "" || p.Writer == "" ||
					!utf8.ValidString(p.Text) || strings.ContainsAny(p.Text, "\n\r\u2028") {
					t.Errorf("%+v", p)
				}
			}
			if size > maxLater+maxOwn+maxEarlier {
				t.Errorf("%d bytes", size)
			}
		}
	})
}
