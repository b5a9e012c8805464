package checkpoint

import (
	"testing"

	"killick/chat"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/view"
)

// The size that is stated of a form is that of the request that is sent, whatever becomes of the
// records: separate messages, one message, or a part of the user's.
func TestSizesAreOfWhatIsSent(t *testing.T) {
	var c chattest.Counter
	says := func(text string) []byte { return []byte(chattest.Says(view.User, text)) }
	size := func(raw []byte) int { return c.Message(&view.Message{Raw: raw}) }
	record := func(text string, kept ...Kept) Record {
		return Record{Raw: says(text), Tokens: size(says(text)), Kept: kept}
	}
	working := Working{Raw: says("lines of files"), Tokens: size(says("lines of files"))}
	msgs := []string{chattest.Says(view.User, "Mend the oven.")}
	for range 2 {
		msgs = append(msgs, chattest.Exchange("read", `{"path":"a.go"}`, "package a")...)
	}
	msgs = append(msgs, chattest.Says(view.System, "Be brief."),
		chattest.Says(view.Assistant, "Done."), chattest.Says(view.User, "And the door."))
	msgs = append(msgs, chattest.Exchange("read", `{"path":"b.go"}`, "package b, at length")...)
	msgs = append(msgs, `{"role":"assistant","content":"Hm.","cache_control":{"type":"ephemeral"}}`,
		chattest.Says(view.User, "Go on."))
	cut := says("Mend.")
	for name, cp := range map[string]*Checkpoint{
		"as received": {},
		"a mask":      {Masks: []Mask{{Index: 4, Text: "P"}}},
		"a fold":      {Fold: 5, Records: []Record{record("R")}},
		"two records": {Fold: 7, Records: []Record{record("Q"), record("R")}},
		"a fold before the user": {Fold: 7, Records: []Record{record("R", Kept{Index: 0,
			Tokens: size([]byte(msgs[0]))})}},
		"a fold before the model": {Fold: 8, Records: []Record{record("R", Kept{Index: 0,
			Raw: cut, Tokens: size(cut)})}},
		"a fold before a call, one record": {Fold: 8, Records: []Record{record("R")}},
		"a working set": {Fold: 8, Records: []Record{record("R")},
			Working: working},
		"a mark moves": {Fold: 11, Records: []Record{record("R")}},
		"a fold and a mask": {Fold: 5, Records: []Record{record("R")},
			Masks: []Mask{{Index: 9, Text: "P"}}},
	} {
		for _, strict := range []bool{false, true} {
			v := layout.New(chattest.Request(t, chattest.Body(msgs)), c)
			v.Split()
			v.Strict = strict
			for i := range cp.Masks {
				m := &cp.Masks[i]
				m.Saved = v.Tokens[m.Index] - size(Masked(&v.Messages[m.Index], m.Text))
			}
			cp := cp.WithDetails(Details{Folds: []int{2, cp.Fold}})
			in, got := SentAs(v, cp, c)
			sent, err := chat.Parse(Render(v, cp, in))
			if err != nil {
				t.Fatal(err)
			}
			want := c.Overhead(sent)
			for i := range sent.Messages() {
				want += c.Message(&sent.Messages()[i])
			}
			if got != want {
				t.Errorf("%s, strict %t: %d tokens, want %d", name, strict, got, want)
			}
			if cp.Fold > 9 {
				continue
			}
			if got, want := TailSize(v, cp, 9), tailOf(sent, len(v.Messages)-9); got != want {
				t.Errorf("%s, strict %t: the tail has %d tokens, want %d", name, strict, got, want)
			}
		}
	}
}

// tailOf returns the tokens of the last n messages.
func tailOf(r *view.Request, n int) (tokens int) {
	all := r.Messages()
	for i := len(all) - n; i < len(all); i++ {
		tokens += chattest.Counter{}.Message(&all[i])
	}
	return tokens
}
