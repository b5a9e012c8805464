package messages

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/view"
)

// unusual contains spellings that decoding and encoding would change, and an element with an
// unusual order of members.
const unusual = ` {"max_tokens": 1e3, "model" : "claude\u002dopus-5",
 "messages" : [ {"role":"user","content":"a\ud83d"} ,
  {"role":"assistant","content":[ {"type":"thinking","thinking":"","signature":"s"} ,
    {"type":"tool_use","id":"1","name":"f","input":{"p": 1.0}},{"type":"tool_use","id":"2"}]},
  { "content" : [ {"type":"tool_result","tool_use_id":"1","content":"one"} ,
    {"type":"tool_result","tool_use_id":"2","is_error" : true, "content":[]},
    {"type":"text","text":"b"} , {"type":"image","source":{"x":1,"x":2}} ] , "role" : "user" }
 ] ,"x":{"x":1,"x":2}, "stream":true }` + "\n"

// The bytes around the messages of an element are written too, and the capacity includes them.
func TestSplicedBodiesAreAllocatedOnce(t *testing.T) {
	r, err := Parse([]byte(unusual))
	if err != nil {
		t.Fatal(err)
	}
	pieces := []view.Piece{{To: 2}}
	for i := 2; i < len(r.Messages()); i++ {
		raw := r.Messages()[i].WithContent([]byte(`"masked"`))
		pieces = append(pieces, view.Piece{From: i, To: i + 1, Raw: raw})
	}
	if n := testing.AllocsPerRun(10, func() { r.Splice(pieces) }); n != 1 {
		t.Errorf("%v allocations, want that of the body", n)
	}
}

func TestSplices(t *testing.T) {
	r, err := Parse([]byte(unusual))
	if err != nil {
		t.Fatal(err)
	}
	const (
		user = `{"role":"user","content":"a\ud83d"}`
		turn = `{"role":"assistant","content":[ ` +
			`{"type":"thinking","thinking":"","signature":"s"} ,` + `
    {"type":"tool_use","id":"1","name":"f","input":{"p": 1.0}},{"type":"tool_use","id":"2"}]}`
		one    = `{"type":"tool_result","tool_use_id":"1","content":"one"}`
		two    = `{"type":"tool_result","tool_use_id":"2","is_error" : true, "content":[]}`
		rest   = `{"type":"text","text":"b"} , {"type":"image","source":{"x":1,"x":2}}`
		open   = `{ "content" : [ `
		shut   = ` ] , "role" : "user" }`
		record = `{"role":"user","content":"new"}`
		whole  = open + one + " ,\n    " + two + ",\n    " + rest + shut
	)
	msgs := r.Messages()
	if len(msgs) != 5 {
		t.Fatalf("%d messages, want 5", len(msgs))
	}
	masked := string(msgs[2].WithContent([]byte(`"m"`)))
	cut := string(msgs[4].WithContent([]byte(`"c"`)))
	tests := []struct {
		name   string
		pieces []view.Piece
		want   string
	}{
		{"a fold before the results", []view.Piece{{Raw: []byte(record)}, {From: 1, To: 5}},
			record + "," + turn + ",\n  " + whole},
		{"a fold within the element", []view.Piece{{Raw: []byte(record)}, {From: 4, To: 5}},
			record + "," + open + rest + shut},
		{"what follows results is kept", []view.Piece{{From: 4, To: 5}, {Raw: []byte(record)}},
			open + rest + shut + "," + record},
		{"what follows results is cut",
			[]view.Piece{{From: 4, To: 5, Raw: []byte(cut)}, {Raw: []byte(record)}},
			open + `{"type":"text","text":"c"}` + shut + "," + record},
		{"a result is masked",
			[]view.Piece{{To: 2}, {From: 2, To: 3, Raw: []byte(masked)}, {From: 3, To: 5}},
			user + " ,\n  " + turn + "," + open + masked + "," + two + "," + rest + shut},
		{"the last result is masked",
			[]view.Piece{{From: 1, To: 3}, {From: 3, To: 4, Raw: []byte(`{}`)}, {From: 4, To: 5}},
			turn + "," + open + one + `,{},` + rest + shut},
		{"a message between",
			[]view.Piece{{From: 2, To: 3}, {Raw: []byte(record)}, {From: 3, To: 5}},
			open + one + shut + "," + record + "," + open + two + "," + rest + shut},
		{"one of several", []view.Piece{{From: 3, To: 4}}, open + two + shut},
		{"nothing", nil, ``},
	}
	head, tail, _ := strings.Cut(unusual, user)
	tail = tail[strings.Index(tail, whole)+len(whole):]
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := string(r.Splice(tt.pieces)), head+tt.want+tail; got != want {
				t.Errorf("spliced:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestContentIsReplaced(t *testing.T) {
	const run = `{"type":"text","text":"a"} , {"type":"image"}`
	tests := []struct{ name, raw, content, want string }{
		{"string", `{"role":"user","content" : "a"}`, `"b"`, `{"role":"user","content" : "b"}`},
		{"array", `{"role":"user","content":"a"}`, `[{"type":"text","text":"b"}]`,
			`{"role":"user","content":[{"type":"text","text":"b"}]}`},
		{"a result", `{"type":"tool_result","tool_use_id":"1","content":[1],"is_error":true}`,
			`"b"`, `{"type":"tool_result","tool_use_id":"1","content":"b","is_error":true}`},
		{"none", `{"role":"user"}`, `"b"`, `{"role":"user"}`},
		{"a run, by a string", run, `"b"`, `{"type":"text","text":"b"}`},
		{"a run, by an array", run, ` [ {"type":"text","text":"b"} , {"type":"image"} ] `,
			`{"type":"text","text":"b"} , {"type":"image"}`},
		{"a run, by nothing", run, `[ ]`, run},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := ParseMessage([]byte(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(m.WithContent([]byte(tt.content))); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestWithoutSigned(t *testing.T) {
	const (
		thinking = `{"type":"thinking","thinking":"h]m","signature":"s"}`
		redacted = `{"data":"d","type":"redacted_thinking"}`
		text     = `{"type":"text", "text":"a"}`
		use      = `{"type":"tool_use","id":"1"}`
	)
	tests := []struct{ name, content, want string }{
		{"first", `[ ` + thinking + ` , ` + text + ` ]`, `[ ` + text + ` ]`},
		{"last", `[ ` + text + ` , ` + redacted + ` ]`, `[ ` + text + ` ]`},
		{"between", `[` + text + ` , ` + thinking + `,` + redacted + `,  ` + use + `]`,
			`[` + text + `,  ` + use + `]`},
		{"around", `[` + thinking + `,` + text + ` ,` + redacted + `,` + use + `,` + thinking + `]`,
			`[` + text + `,` + use + `]`},
		{"nothing else", `[` + thinking + `,` + redacted + `]`, ``},
		{"none", `[ ` + text + `]`, `[ ` + text + `]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const before, after = `{"role":"assistant" , "content" : `, ` , "id":"x"}`
			m, err := ParseMessage([]byte(before + tt.content + after))
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if tt.want != "" {
				want = before + tt.want + after
			}
			if got := string(Format.WithoutSigned(&m)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// flat returns a conversation as the API reads it: each block with its role.
func flat(t *testing.T, body []byte) (all []string) {
	t.Helper()
	var request struct {
		Messages []struct {
			Role    string
			Content []json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	for _, m := range request.Messages {
		for _, block := range m.Content {
			all = append(all, m.Role+" "+string(block))
		}
	}
	return all
}

// Whatever is kept, dropped, edited and inserted, the new body has exactly these blocks.
func TestSplicesHaveTheBlocksOfTheirPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 3000 {
		body, n := []byte(`{"messages": [`), 0
		block := func(typ string) string {
			n++
			return fmt.Sprintf(`{"type":%q,"text":"%d"}`, typ, n)
		}
		for e := range 1 + rng.IntN(6) {
			role, types := "user", []string{"text"}
			switch rng.IntN(3) {
			case 0:
				role = "assistant"
			case 1:
				types = []string{"text", "tool_result"}
			}
			var blocks []string
			for range 1 + rng.IntN(5) {
				blocks = append(blocks, block(types[rng.IntN(len(types))]))
			}
			list := strings.Join(blocks, " , ")
			element := fmt.Sprintf(`{"role":%q,"content":[%s]}`, role, list)
			if rng.IntN(2) == 0 {
				element = fmt.Sprintf(`{"content" : [ %s ], "role":%q}`, list, role)
			}
			if e > 0 {
				body = append(body, " ,"...)
			}
			body = append(body, element...)
		}
		body = append(body, "]}"...)
		r, err := Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		pieces, want := randomPieces(rng, r)
		got := flat(t, r.Splice(pieces))
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("round %d: %s with %+v has\n%q\nwant\n%q", round, body, pieces, got, want)
		}
	}
}

// randomPieces returns random pieces in order, and their blocks.
func randomPieces(rng *rand.Rand, r *view.Request) (pieces []view.Piece, want []string) {
	expect := func(role string, m *view.Message) {
		if m.Role() == view.Tool {
			want = append(want, role+" "+string(m.Raw))
			return
		}
		for block := range blocks(m) {
			want = append(want, role+" "+string(block))
		}
	}
	roleOf := func(m *view.Message) string {
		if m.Role() == view.Tool {
			return "user"
		}
		return string(m.Role())
	}
	msgs := r.Messages()
	for i := 0; i < len(msgs); {
		switch m := &msgs[i]; rng.IntN(4) {
		case 0: // dropped
			i++
		case 1:
			raw := []byte(`{"role":"user","content":[{"type":"text","text":"new"}]}`)
			pieces = append(pieces, view.Piece{Raw: raw})
			want = append(want, `user {"type":"text","text":"new"}`)
		case 2:
			raw := m.WithContent([]byte(`[{"type":"text","text":"edit"}]`))
			edited, err := ParseMessage(raw)
			if err != nil {
				panic(err)
			}
			pieces = append(pieces, view.Piece{From: i, To: i + 1, Raw: raw})
			expect(roleOf(m), &edited)
			i++
		default:
			to := min(i+1+rng.IntN(4), len(msgs))
			pieces = append(pieces, view.Piece{From: i, To: to})
			for ; i < to; i++ {
				expect(roleOf(&msgs[i]), &msgs[i])
			}
		}
	}
	return pieces, want
}
