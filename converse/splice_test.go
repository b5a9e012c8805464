package converse

import (
	"strings"
	"testing"

	"killick/view"
)

// Turns that a change makes consecutive are one message, and all others keep their bytes.
func TestTurnsAlternate(t *testing.T) {
	user := func(text string) string {
		return `{"role":"user","content":[{"text":"` + text + `"}]}`
	}
	model := func(text string) string {
		return `{"role": "assistant","content":[{"text":"` + text + `"}]}`
	}
	const results = `{"content":[ {"toolResult":{"toolUseId":"a","content":[]}},` +
		`{"text":"c"} ], "role":"user"}`
	call := strings.Replace(model("b"), `{"text"`, `{"toolUse":{"toolUseId":"a"}},{"text"`, 1)
	record := user("R")
	for name, c := range map[string]struct {
		list   []string
		pieces []view.Piece
		want   string
	}{
		"before the model": {[]string{user("a"), model("b"), user("c"), model("d")},
			[]view.Piece{{Raw: []byte(record)}, {From: 3, To: 4}}, record + `,` + model("d")},
		"behind the task": {[]string{user("a"), model("b"), user("c"), model("d")},
			[]view.Piece{{From: 0, To: 1}, {Raw: []byte(record)}, {From: 3, To: 4}},
			`{"role":"user","content":[{"text":"a"},{"text":"R"}]},` + model("d")},
		"several": {[]string{user("a"), model("b"), user("c"), model("d")},
			[]view.Piece{{From: 0, To: 1}, {From: 2, To: 3, Raw: []byte(user("cut"))},
				{Raw: []byte(record)}, {Raw: []byte(record)}, {From: 3, To: 4}},
			`{"role":"user","content":[{"text":"a"},{"text":"cut"},{"text":"R"},{"text":"R"}]},` +
				model("d")},
		"before the user": {[]string{user("a"), model("b"), user("c") + " ", model("d")},
			[]view.Piece{{Raw: []byte(record)}, {From: 2, To: 4}},
			`{"role":"user","content":[{"text":"R"},{"text":"c"}]},` + model("d")},
		"before text beside results": {[]string{user("a"), call, results, model("d"), user("e")},
			[]view.Piece{{Raw: []byte(record)}, {From: 3, To: 6}},
			`{"role":"user","content":[{"text":"R"},{"text":"c"}]},` + model("d") + `,` +
				user("e")},
		"behind results": {[]string{user("a"), call, results, model("d")},
			[]view.Piece{{From: 0, To: 3}, {Raw: []byte(record)}, {From: 4, To: 5}},
			user("a") + `,` + call + `,{"content":[ {"toolResult":{"toolUseId":"a",` +
				`"content":[]}},{"text":"R"}], "role":"user"},` + model("d")},
		"a whole turn between them left out": {[]string{user("a"), model("b"), results, model("d")},
			[]view.Piece{{From: 0, To: 1}, {From: 2, To: 5}},
			`{"role":"user","content":[{"text":"a"},{"toolResult":{"toolUseId":"a",` +
				`"content":[]}},{"text":"c"}]},` + model("d")},
		"of the model": {[]string{user("a"), model("b"), user("c"), model("d")},
			[]view.Piece{{From: 0, To: 2}, {From: 3, To: 4}},
			user("a") + `,{"role": "assistant","content":[{"text":"b"},{"text":"d"}]}`},
		"as the client has them": {[]string{user("a"), user("b"), model("c"), user("d")},
			[]view.Piece{{From: 0, To: 2}, {From: 2, To: 3, Raw: []byte(model("x"))},
				{From: 3, To: 4}},
			user("a") + `,` + user("b") + `,` + model("x") + `,` + user("d")},
		"an empty one": {
			[]string{user("a"), model("b"), `{"role":"user","content":[]}`, model("d")},
			[]view.Piece{{Raw: []byte(record)}, {From: 2, To: 4}},
			record + `,{"role":"user","content":[]},` + model("d")},
	} {
		r := parse(t, `{"messages":[`+strings.Join(c.list, ",")+`],"n":1}`)
		got := string(r.Splice(c.pieces))
		got = strings.ReplaceAll(got, "]} ,", "]},") // white space that the client had
		if want := `{"messages":[` + c.want + `],"n":1}`; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// counted is the format, which counts the bytes that a splice has it read.
type counted struct {
	view.Format
	read *int
}

func (c counted) Message(raw []byte) (view.Message, error) {
	*c.read += len(raw)
	return c.Format.Message(raw)
}

// A client can have any number of turns joined. None of them is read again for each.
func TestManyTurnsAreJoined(t *testing.T) {
	const turn = `{"role":"user","content":[{"guardContent":{}}]}`
	const n = 1000
	list := strings.Repeat(turn+`,{"role":"assistant","content":[{"text":"b"}]},`, n) + turn
	read := 0
	r, err := view.Parse(counted{Format, &read}, []byte(`{"messages":[`+list+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	pieces := []view.Piece{{From: 0, To: 1}, {Raw: []byte(turn)}}
	for i := range n {
		pieces = append(pieces, view.Piece{From: 2 * (i + 1), To: 2*(i+1) + 1})
	}
	got := string(r.Splice(pieces))
	want := `{"messages":[{"role":"user","content":[{"guardContent":{}}` +
		strings.Repeat(`,{"guardContent":{}}`, n+1) + `]}]}`
	if got != want {
		t.Errorf("became %.300s…, want %.300s…", got, want)
	}
	if most := 2 * len(r.Raw()); read > most {
		t.Errorf("read %d bytes for a body of %d", read, len(r.Raw()))
	}
}
