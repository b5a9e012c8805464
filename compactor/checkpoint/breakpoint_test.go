package checkpoint

import (
	"testing"

	"killick/chat"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/view"
)

// The record gets the mark of the folded turns that ends the longest prefix. Marks of messages that
// are sent as received stay where they are.
func TestMarksOfFoldedTurns(t *testing.T) {
	mark := func(n string) string { return `"cache_control":{"n":` + n + `}` }
	part := func(more string) string { return `{"type":"text","text":"a"` + more + `}` }
	onMessage := `{"role":"user","content":"a",` + mark("1") + `}`
	onPart := `{"role":"user","content":[` + part("") + `,` + part(","+mark("2")) + `,` +
		part("") + `]}`
	twice := `{"role":"user","content":[` + part(","+mark("2")) + `,` + part(","+mark("3")) + `]}`
	onCall := `{"role":"assistant","content":[` + part(","+mark("4")) + `],"tool_calls":[{"id":` +
		`"c","type":"function","function":{"name":"f","arguments":"{}"},` + mark("5") + `},` +
		`{"id":"d","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	plain, system := chattest.Says(view.Assistant, "b"), `{"role":"system","content":"s",`+
		mark("6")+`}`
	for name, c := range map[string]struct {
		msgs    []string
		kept    []Kept
		strict  bool
		want    string
		message bool
	}{
		"on a message": {[]string{onMessage, plain}, nil, false, `{"n":1}`, true},
		"on a part":    {[]string{onPart, plain}, nil, false, `{"n":2}`, false},
		"on two parts": {[]string{twice, plain}, nil, false, `{"n":3}`, false},
		"on a call":    {[]string{onPart, onCall}, nil, false, `{"n":5}`, false},
		"the last": {[]string{onPart, plain, onMessage, plain}, nil, false,
			`{"n":1}`, true},
		"on what is kept": {[]string{onPart, plain, onMessage, plain},
			[]Kept{{Index: 2}}, false, `{"n":2}`, false},
		"on what is kept cut": {[]string{onPart, plain, onMessage, plain},
			[]Kept{{Index: 2, Raw: []byte(onMessage)}}, false, `{"n":1}`, true},
		"on what is kept, in one message": {[]string{onPart, plain, onMessage, plain},
			[]Kept{{Index: 2}}, true, `{"n":1}`, true},
		"on an instruction": {[]string{onPart, plain, system, plain}, nil, false, `{"n":2}`, false},
		"before one that is null": {[]string{onMessage,
			`{"role":"assistant","content":"b","cache_control":null}`}, nil, false,
			`{"n":1}`, true},
		"on none": {[]string{plain, plain}, nil, false, "", false},
	} {
		v := layout.New(chattest.Request(t, chattest.Body(append(c.msgs,
			chattest.Says(view.User, "go on")))), chattest.Counter{})
		v.Split()
		v.Strict = c.strict
		cp := &Checkpoint{Fold: len(c.msgs), Records: []Record{{Kept: c.kept}}}
		got := foldedBreakpoint(v, cp)
		if string(got.value) != c.want || got.message != c.message {
			t.Errorf("%s: %s, on the message: %t; want %s, %t", name, got.value, got.message,
				c.want, c.message)
		}
	}
}

// A mark becomes the last member of an object. Anything else stays.
func TestMarkOnAnObject(t *testing.T) {
	mark := breakpoint{name: "cache_control", value: []byte(`{}`)}
	for object, want := range map[string]string{
		`{}`:          `{"cache_control":{}}`,
		`{ }`:         `{"cache_control":{}}`,
		`{"a":1}`:     `{"a":1,"cache_control":{}}`,
		"{\"a\":1\n}": `{"a":1,"cache_control":{}}`,
		`"a}"`:        `"a}"`,
		`[{}]`:        `[{}]`,
	} {
		if got := string(mark.on([]byte(object))); got != want {
			t.Errorf("%s: %s, want %s", object, got, want)
		}
	}
}

// A message that is made has its mark where the client had its own. One text is a string unless it
// is marked.
func TestMarksOfMadeMessages(t *testing.T) {
	text, image := piece{text: []byte(`R\n`)}, piece{part: []byte(`{"type":"image_url"}`)}
	const value = `{"type":"ephemeral"}`
	onPart := breakpoint{name: "cache_control", value: []byte(value)}
	onMessage := onPart
	onMessage.message = true
	const mark = `"cache_control":` + value
	for name, c := range map[string]struct {
		content content
		mark    breakpoint
		want    string
	}{
		"a text": {content{text}, breakpoint{}, `"R\n"}`},
		"a marked text": {content{text}, onPart,
			`[{"type":"text","text":"R\n",` + mark + `}]}`},
		"in a marked message": {content{text}, onMessage, `"R\n",` + mark + `}`},
		"with an image": {content{text, image}, breakpoint{},
			`[{"type":"text","text":"R\n"},{"type":"image_url"}]}`},
		"an image": {content{image}, breakpoint{}, `[{"type":"image_url"}]}`},
		"with a marked image": {content{text, image}, onPart,
			`[{"type":"text","text":"R\n"},{"type":"image_url",` + mark + `}]}`},
		"with an image, in a marked message": {content{text, image}, onMessage,
			`[{"type":"text","text":"R\n"},{"type":"image_url"}],` + mark + `}`},
	} {
		got := string(c.content.message(chat.Format.Spelling(), c.mark))
		if want := `{"role":"user","content":` + c.want; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
