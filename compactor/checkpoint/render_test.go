package checkpoint

import (
	"slices"
	"strings"
	"testing"

	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/messages"
	"killick/view"
)

// Of the messages after a change, those that the model wrote before the change was made lose their
// thinking, which would be refused. What follows a provider's summary keeps it.
func TestThinkingAfterAChange(t *testing.T) {
	var c chattest.Counter
	size := func(raw []byte) int { return c.Message(&view.Message{Raw: raw}) }
	record, summary := []byte(chattest.Says(view.User, "R")), []byte(chattest.Says(view.Assistant,
		"S"))
	mask := Checkpoint{Covers: 4, Masks: []Mask{{Index: 3, Text: "PP"}}} // as long as "ok"
	fold := Checkpoint{Covers: 2, Fold: 2, Records: []Record{{Raw: record, Tokens: size(record)}}}
	at := func(cp Checkpoint, n int) *Checkpoint {
		cp.At = n
		return &cp
	}
	summarized := func(place, unsigned int) *Checkpoint {
		cp := at(fold, 9)
		cp.Provider = &ProviderSummary{Raw: summary, Tokens: size(summary) + size(introduction),
			Place: place, Unsigned: unsigned}
		return cp
	}
	for name, c := range map[string]struct {
		letters string
		cp      *Checkpoint
		want    string // role, text, and * if there is thinking
	}{
		"nothing":         {"utctut", &Checkpoint{}, "u0 a1* a r: a3* u4 a5*"},
		"a mask":          {"utctut", at(mask, 6), "u0 a1* a r:PP a3 u4 a5*"},
		"a mask, later":   {"utctut", at(mask, 7), "u0 a1* a r:PP a3 u4 a5"},
		"a mask, earlier": {"utctut", at(mask, 4), "u0 a1* a r:PP a3* u4 a5*"},
		"nothing is left": {"utcout", at(mask, 7), "u0 a1* a r:PP u4 a5"},
		"a fold":          {"utctut", at(fold, 6), "uR a r: a3 u4 a5*"},
		"a summary":       {"utctut", summarized(6, 0), "aS a r: a3* u4 i uR a5*"},
		"a summary, and what was dropped before": {"utctut", summarized(6, 5),
			"aS a r: a3 u4 i uR a5*"},
		"a summary, and then nothing": {"utctut", summarized(7, 7), "aS a r: a3 u4 a5 i uR"},
	} {
		v := withClaude(t, summarizes, c.letters)
		in, tokens := SentAs(v, c.cp, chattest.Counter{})
		got, err := view.Parse(messages.Format, Render(v, c.cp, in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sent := chattest.Counter{}.Overhead(got)
		for i := range got.Messages() {
			sent += chattest.Counter{}.Message(&got.Messages()[i])
		}
		if tokens != sent {
			t.Errorf("%s: %d tokens, want %d", name, tokens, sent)
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

// Outputs that were truncated as they came, and stubs that have their content, are sent as they are
// in the view, with and without other changes.
func TestOutputsOfTheViewAreSent(t *testing.T) {
	short := func(v *layout.View, i int) view.Message {
		m, err := v.Parse([]byte(strings.Replace(string(v.Messages[i].Raw), `"ok"`, `"new"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, change := range map[string]func(v *layout.View){
		"truncated": func(v *layout.View) {
			v.Truncate(map[int]layout.Truncation{2: {Message: short(v, 2)},
				6: {Message: short(v, 6)}}, v.Tokens, v.Before)
		},
		"stubs": func(v *layout.View) {
			filled := slices.Clone(v.Messages)
			filled[2], filled[6] = short(v, 2), short(v, 6)
			v.Messages, v.Stubbed = filled, []int{2, 6}
		},
	} {
		for masks, want := range map[string]string{"": "new ok new", "2": "P ok new",
			"4": "new P new", "6": "new ok P"} {
			v := withClaude(t, summarizes, "ucccu")
			change(v)
			cp := &Checkpoint{}
			for _, digit := range masks {
				cp.Masks = append(cp.Masks, Mask{Index: int(digit - '0'), Text: "P", Saved: 1})
			}
			body := Render(v, cp, Replace(v, cp))
			got, err := view.Parse(messages.Format, body)
			if err != nil {
				t.Fatal(err)
			}
			var outputs []string
			for i := range got.Messages() {
				if m := &got.Messages()[i]; m.Role().Result() {
					outputs = append(outputs, m.Text())
				}
			}
			if got := strings.Join(outputs, " "); got != want {
				t.Errorf("%s, masked %s: %s, want %s", name, masks, got, want)
			}
		}
	}
}

// The working set is sent after the records, and refs in what is stored are found.
func TestWorkingSetsAndRefs(t *testing.T) {
	cp := full(t)
	all := cp.allRecords()
	if len(all) != 3 || string(all[2].Raw) != string(cp.Working.Raw) || len(cp.Records) != 2 {
		t.Errorf("%d records with the working set, %d without", len(all), len(cp.Records))
	}
	cp.Working = Working{}
	if all := cp.allRecords(); len(all) != 2 {
		t.Errorf("%d records without a working set", len(all))
	}
	refs := Refs([]byte("\x00ref=abcdefghijklmnop ref=ABCDEFGHIJKLMNOP ref=abc\xff" +
		"ref=234567abcdefghij]"))
	if got := strings.Join(refs, " "); got != "abcdefghijklmnop 234567abcdefghij" {
		t.Errorf("refs %s", got)
	}
}

// An instruction of folded turns stays at its place among the records of these turns, or directly
// before the model's next turn if the API wants it there.
func TestInstructionsOfFoldedTurns(t *testing.T) {
	record := func(text string, kept ...Kept) Record {
		return Record{Raw: []byte(chattest.Says(view.User, text)), Tokens: 1, Kept: kept}
	}
	for name, c := range map[string]struct {
		claude  bool
		letters string
		cp      *Checkpoint
		want    string
	}{
		"in the first fold": {false, "uasauau", (&Checkpoint{Fold: 6, Records: []Record{
			record("Q"), record("R")}}).WithDetails(Details{Folds: []int{4, 6}}), "s2 uQ uR u6"},
		"in the second fold": {false, "uauasau", (&Checkpoint{Fold: 6, Records: []Record{
			record("Q"), record("R")}}).WithDetails(Details{Folds: []int{2, 6}}), "uQ s4 uR u6"},
		"behind a kept message": {false, "uauasau", (&Checkpoint{Fold: 6, Records: []Record{
			record("R", Kept{Index: 2})}}).WithDetails(Details{Folds: []int{6}}), "u2 s4 uR u6"},
		"before a kept message": {false, "uasauau", (&Checkpoint{Fold: 6, Records: []Record{
			record("R", Kept{Index: 4})}}).WithDetails(Details{Folds: []int{6}}), "s2 u4 uR u6"},
		"of three folds, two are one record": {false, "uauasau", (&Checkpoint{Fold: 6,
			Records: []Record{record("Q"), record("R")}}).WithDetails(
			Details{Folds: []int{1, 2, 6}}), "uQ s4 uR u6"},
		"before the model": {true, "uausaua", (&Checkpoint{Fold: 4, Records: []Record{
			record("R")}}).WithDetails(Details{Folds: []int{4}}), "uR s3 a4 u5 a6"},
	} {
		v := withClaude(t, summarizes, c.letters)
		if !c.claude {
			v.Rules = view.Rules{}
		}
		got, err := view.Parse(messages.Format, Render(v, c.cp, Replace(v, c.cp)))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for i := range got.Messages() {
			m := &got.Messages()[i]
			all = append(all, string(m.Role())[:1]+strings.TrimPrefix(m.Text(), "message "))
		}
		if got := strings.Join(all, " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
