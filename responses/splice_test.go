package responses

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/view"
)

// A turn of several items is kept, left out or replaced as a whole, with the bytes between its
// items.
func TestSpliceOfTurns(t *testing.T) {
	r := parse(t, developer, userText, reasoning, said, callRead, readA, reasoning, refused,
		userParts)
	const head, tail = `{"model":"gpt-6", "input" : [`, "\n] ,\"stream\":true}"
	record := `{"role":"user","content":"record"}`
	for name, c := range map[string]struct {
		pieces []view.Piece
		want   string
	}{
		"folded": {
			[]view.Piece{{From: 0, To: 1}, {From: 1, To: 2}, {Raw: []byte(record)}, {From: 4,
				To: 6}},
			developer + "," + userText + "," + record + "," + reasoning + ",\n " + refused +
				",\n " +
				userParts,
		},
		"masked": {
			[]view.Piece{{From: 0, To: 3}, {From: 3, To: 4, Raw: []byte(record)}, {From: 4,
				To: 6}},
			developer + ",\n " + userText + ",\n " + reasoning + ",\n " + said + ",\n " + callRead +
				"," + record + "," + reasoning + ",\n " + refused + ",\n " + userParts,
		},
		"a turn replaced": {
			[]view.Piece{{From: 0, To: 2}, {From: 2, To: 3, Raw: []byte(record)}, {From: 3, To: 4}},
			developer + ",\n " + userText + "," + record + "," + readA,
		},
		"one by one": {
			[]view.Piece{{From: 2, To: 3}, {From: 4, To: 5}, {From: 3, To: 4}},
			reasoning + ",\n " + said + ",\n " + callRead + "," + reasoning + ",\n " + refused +
				"," + readA,
		},
		"nothing": {nil, ""},
	} {
		if got := string(r.Splice(c.pieces)); got != head+c.want+tail {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, head+c.want+tail)
		}
	}
	whole := r.Splice([]view.Piece{{From: 0, To: 3}, {From: 3, To: 6}})
	if &whole[0] != &r.Raw()[0] {
		t.Error("the request as it came was copied")
	}
}

// A parser that has seen a conversation reads a longer one as if it had not, whatever item was
// added to the last turn.
func TestParserResumesTurns(t *testing.T) {
	var all []string
	for i := range 40 {
		long := fmt.Sprintf(`{"role":"user","content":"%d %s"}`, i, strings.Repeat("x", 200))
		id := fmt.Sprintf(`"c%d"`, i)
		all = append(all, long, reasoning, said, strings.Replace(callRead, `"c1"`, id, 1),
			strings.Replace(readA, `"c1"`, id, 1), reasoning, refused)
	}
	p := view.Parser{MinBytes: 1}
	kept, parsed := 0, 0
	for n := 30; n <= len(all); n++ {
		raw := body(all[:n]...)
		got, err := p.Parse(Format, "ann", raw)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		viewtest.SameView(t, got, want)
		if shape(got) != shape(want) {
			t.Fatalf("%s\nwant %s", shape(got), shape(want))
		}
		_, messages := got.Memory().Load("kept")
		if messages > kept {
			t.Fatalf("a value for %d messages holds for %d", kept, messages)
		}
		if n > 30 && messages == 0 {
			t.Fatalf("nothing was known of the first %d items", n-1)
		}
		// What was derived from a turn that has grown does not hold for it.
		last := len(got.Messages()) - 1
		if messages > last {
			t.Fatalf("the turn of item %d was taken for known", n)
		}
		kept = len(got.Messages())
		got.Memory().Store("kept", n, kept, 8)
		parsed++
	}
	if parsed < 100 {
		t.Fatalf("%d bodies: nothing is shown", parsed)
	}
}

func TestCanonicalIgnoresChangesBetweenTurns(t *testing.T) {
	turn := func(items ...string) string { return strings.Join(items, ",") }
	for _, tt := range []struct {
		name string
		same bool
		a, b string
	}{
		{"string and one part", true, userText, userParts},
		{"reasoning", true, turn(reasoning, said, callRead), turn(said, callRead)},
		{"encrypted content", true, turn(reasoning, said),
			turn(strings.Replace(reasoning, "gAAA", "gBBB", 1), said)},
		{"ids, status, annotations, phase", true, said,
			`{"role":"assistant","content":"I look"}`},
		{"id and status of a call", true, callRead, `{"call_id":"c1","type":"function_call",` +
			`"arguments":"{\"path\":\"a.go\"}","name":"re\u0061d"}`},
		{"a breakpoint", true, readA, readParts},
		{"status of an output", true, readA,
			`{"type":"function_call_output","status":"completed","call_id":"c1",` +
				`"output":"package a"}`},
		{"ids of searches", true, web, strings.Replace(web, "ws_1", "ws_2", 1)},
		{"texts", false, userText, `{"role":"user","content":"do not"}`},
		{"roles", false, userText, `{"role":"developer","content":"do it"}`},
		{"arguments", false, callRead, strings.Replace(callRead, "a.go", "b.go", 1)},
		{"call ids", false, readA, strings.Replace(readA, "c1", "c9", 1)},
		{"tools", false, callRead, strings.Replace(callRead, `"read"`, `"cat"`, 1)},
		{"kinds of calls", false, callRead,
			strings.Replace(callRead, "function", "custom_tool", 1)},
		{"ids of calls", false, callRead, strings.Replace(callRead, "c1", "c9", 1)},
		{"names of one kind", false, callRead, strings.Replace(callRead, `"read"`, `"readx"`, 1)},
		{"outputs", false, readA, strings.Replace(readA, "package a", "package b", 1)},
		{"kinds of outputs", false, readA, strings.Replace(readA, "function", "custom_tool", 1)},
		{"names of outputs", false, strings.Replace(readA, `"call_id"`, `"name":"f","call_id"`, 1),
			strings.Replace(readA, `"call_id"`, `"name":"g","call_id"`, 1)},
		{"failed searches", false, `{"type":"web_search_call","status":"failed"}`,
			`{"type":"web_search_call","status":"completed"}`},
		{"kinds of the unknown", false, `{"type":"new","x":1}`, `{"type":"newer","x":1}`},
		{"members of the unknown", false, `{"type":"new","x":1}`, `{"type":"new","y":1}`},
		{"images", false, `{"role":"user","content":[{"type":"input_image","image_url":"a"}]}`,
			`{"role":"user","content":[{"type":"input_image","image_url":"b"}]}`},
		{"refusals", false, refused, strings.Replace(refused, "no", "never", 1)},
		{"a second part", false, `{"role":"user","content":[{"type":"input_text","text":"a"},` +
			`{"type":"input_text","text":"b"}]}`, `{"role":"user","content":"a"}`},
		{"order", false, turn(said, callRead), turn(callRead, said)},
		{"two messages and one", false, turn(said, said),
			`{"role":"assistant","content":[{"type":"output_text","text":"I look"},` +
				`{"type":"output_text","text":"I look"}]}`},
		{"exit codes", false, shell, strings.Replace(shell, ":2", ":3", 1)},
		{"actions", false, callLocal, strings.Replace(callLocal, "go test", "go vet", 1)},
		{"searches", false, web, strings.Replace(web, `"q"`, `"r"`, 1)},
		{"references", false, reference, strings.Replace(reference, "msg_9", "msg_8", 1)},
		{"ids of the unknown", false, newKind, strings.Replace(newKind, "dr_1", "dr_2", 1)},
		{"a refusal and a text", false, refused,
			`{"role":"assistant","content":[{"type":"output_text","text":"no"}]}`},
	} {
		a, err := ParseMessage([]byte(tt.a))
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseMessage([]byte(tt.b))
		if err != nil {
			t.Fatal(err)
		}
		x, y := a.AppendCanonical(nil), b.AppendCanonical(nil)
		if bytes.Equal(x, y) != tt.same {
			t.Errorf("%s: the same: %t\n%q\n%q", tt.name, !tt.same, x, y)
		}
		if x[0] != tag {
			t.Errorf("%s: begins with %q", tt.name, x[0])
		}
	}
}

func TestWithoutReasoning(t *testing.T) {
	for _, tt := range []struct {
		name  string
		items []string
		want  []string // the items and what is between them
	}{
		{"between", []string{userText, reasoning, said}, []string{userText, ",", said}},
		{"before each", []string{reasoning, said, reasoning, callRead, readA},
			[]string{said, ",\n ", callRead, ",", readA}},
		{"twice", []string{reasoning, reasoning, said, userText},
			[]string{said, ",", userText}},
		{"last of a turn", []string{said, reasoning}, []string{said}},
		{"a turn of its own at the end", []string{userText, reasoning}, []string{userText}},
		{"alone", []string{userText, reasoning, userParts},
			[]string{userText, ",", userParts}},
		{"nothing else", []string{reasoning}, nil},
		{"none", []string{userText, said}, []string{userText, ",\n ", said}},
	} {
		r := parse(t, tt.items...)
		got := string(r.WithoutSigned())
		input := strings.TrimPrefix(got, `{"model":"gpt-6", "input" : [`)
		input = strings.TrimSpace(strings.TrimSuffix(input, "\n] ,\"stream\":true}"))
		if want := strings.Join(tt.want, ""); input != want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, input, want)
		}
	}
}
