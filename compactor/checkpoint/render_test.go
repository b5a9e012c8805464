package checkpoint

import (
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/messages"
	"killick/view"
)

// Of the messages after a change, those that the model wrote before the change was made lose their
// thinking, which would be refused. What follows a provider's summary keeps it.
func TestThinkingAfterAChange(t *testing.T) {
	mask := Checkpoint{Covers: 4, Masks: []Mask{{Index: 3, Text: "P", Saved: 1}}}
	fold := Checkpoint{Covers: 2, Fold: 2, Records: []Record{
		{Raw: []byte(chattest.Says(view.User, "R")), Tokens: 1}}}
	at := func(cp Checkpoint, n int) *Checkpoint {
		cp.At = n
		return &cp
	}
	summarized := func(place, unsigned int) *Checkpoint {
		cp := at(fold, 9)
		cp.Provider = &ProviderSummary{Raw: []byte(chattest.Says(view.Assistant, "S")), Tokens: 1,
			Place: place, Unsigned: unsigned}
		return cp
	}
	for name, c := range map[string]struct {
		letters string
		cp      *Checkpoint
		want    string // role, text, and * if there is thinking
	}{
		"nothing":         {"utctut", &Checkpoint{}, "u0 a1* a r: a3* u4 a5*"},
		"a mask":          {"utctut", at(mask, 6), "u0 a1* a r:P a3 u4 a5*"},
		"a mask, later":   {"utctut", at(mask, 7), "u0 a1* a r:P a3 u4 a5"},
		"a mask, earlier": {"utctut", at(mask, 4), "u0 a1* a r:P a3* u4 a5*"},
		"nothing is left": {"utcout", at(mask, 7), "u0 a1* a r:P u4 a5"},
		"a fold":          {"utctut", at(fold, 6), "uR a r: a3 u4 a5*"},
		"a summary":       {"utctut", summarized(6, 0), "aS a r: a3* u4 i uR a5*"},
		"a summary, and what was dropped before": {"utctut", summarized(6, 5),
			"aS a r: a3 u4 i uR a5*"},
		"a summary, and then nothing": {"utctut", summarized(7, 7), "aS a r: a3 u4 a5 i uR"},
	} {
		v := withClaude(t, summarizes, c.letters)
		body := Render(v, c.cp, Replace(v, c.cp))
		got, err := view.Parse(messages.Format, body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var all []string
		for i := range got.Messages() {
			m := &got.Messages()[i]
			text := strings.TrimPrefix(m.Text(), "message ")
			switch {
			case m.Role().Result():
				text = "r:" + strings.TrimPrefix(text, "ok")
			case text == introductionText:
				text = "i"
			default:
				text = string(m.Role())[:1] + text
			}
			if m.Is(view.Signed) {
				text += "*"
			}
			all = append(all, text)
		}
		if got := strings.Join(all, " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
