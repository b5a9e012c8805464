package checkpoint

import (
	"testing"

	"killick/chat"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/rawjson"
	"killick/summary"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// The client's message stays as it was spelled wherever the record goes into
// it.
func TestRecordMergesIntoTheUsersMessage(t *testing.T) {
	text := Record{Raw: []byte(`{"role":"user","content":"R\n\ud83d"}`), Tokens: 1}
	image := Record{Raw: text.Raw, Tokens: 1, Kept: []Kept{{Raw: []byte(
		`{"role":"user","content":[{"type":"text","text":"I"},{"type":"image_url",` +
			`"image_url":{"url":"u"}}]}`,
	)}}}
	kept := Record{Raw: text.Raw, Tokens: 1, Kept: []Kept{
		{Raw: []byte(`{"role":"user","content":"K\u0041"}`)}}}
	req, err := chat.Parse([]byte(`{"messages":[{"role":"user","content":"an image"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	v := &layout.View{Request: req, Messages: req.Messages()}
	const end = `\n[End of the record. The user's own message follows.]\n\n`
	none, onPart, onMessage := breakpoint{}, breakpoint{
		name:  "cache_control",
		value: rawjson.Value(`{"type":"ephemeral"}`),
	}, breakpoint{
		name:    "cache_control",
		value:   rawjson.Value(`{"type":"ephemeral"}`),
		message: true,
	}
	const mark = `"cache_control":{"type":"ephemeral"}`
	for name, test := range map[string]struct {
		user    string
		records []Record
		mark    breakpoint
		want    string
	}{
		"string": {
			`{"role":"user", "content" : "\u0041 \/ \udc00","name":"ann"}`, []Record{text}, none,
			`{"role":"user", "content" : "R\n\ud83d` + end + `\u0041 \/ \udc00","name":"ann"}`,
		},
		"two records": {`{"role":"user","content":"a"}`, []Record{text, text}, none,
			`{"role":"user","content":"R\n\ud83d\n\nR\n\ud83d` + end + `a"}`},
		"a kept message": {`{"role":"user","content":"a"}`, []Record{kept}, none,
			`{"role":"user","content":"K\u0041\n\nR\n\ud83d` + end + `a"}`},
		"parts": {
			`{"role":"user","content":[ {"type":"text","text":"a"} , {"type":"x","n":2.50}]}`,
			[]Record{text}, none,
			`{"role":"user","content":[{"type":"text","text":"R\n\ud83d` +
				end + `"}, {"type":"text","text":"a"} , {"type":"x","n":2.50}]}`,
		},
		"a record with an image": {`{"role":"user","content":"a"}`, []Record{image}, none,
			`{"role":"user","content":[{"type":"text","text":"I"},{"type":"image_url",` +
				`"image_url":{"url":"u"}},{"type":"text","text":"R\n\ud83d` + end +
				`"},{"type":"text","text":"a"}]}`},
		"no parts": {
			`{"role":"user","content":[ ]}`, []Record{text}, none,
			`{"role":"user","content":[{"type":"text","text":"R\n\ud83d` + end + `"}]}`,
		},
		"null": {
			`{"content":null,"role":"user"}`, []Record{text}, none,
			`{"content":[{"type":"text","text":"R\n\ud83d` + end + `"}],"role":"user"}`,
		},
		"no content": {
			`{ "role":"user"}`, []Record{text}, none,
			`{"content":[{"type":"text","text":"R\n\ud83d` + end + `"}], "role":"user"}`,
		},
		"a mark on a part": {`{"role":"user","content":"a"}`, []Record{text}, onPart,
			`{"role":"user","content":[{"type":"text","text":"R\n\ud83d` + end + `",` +
				mark + `},{"type":"text","text":"a"}]}`},
		"a mark on the message": {`{"role":"user","content":"a"}`, []Record{text}, onMessage,
			`{"role":"user","content":"R\n\ud83d` + end + `a",` + mark + `}`},
		"a mark where there is one": {
			`{"role":"user","content":"a","cache_control":{}}`, []Record{text}, onMessage,
			`{"role":"user","content":"R\n\ud83d` + end + `a","cache_control":{}}`,
		},
	} {
		m := chattest.Message(t, test.user)
		got := mergeInto(m, contentOf(v, test.records), test.mark)
		if string(got) != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
		if _, err := chat.ParseMessage(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A request that a record was put into by a proxy before this one is still a
// request.
func TestMergedRequestIsARequest(t *testing.T) {
	m := chattest.Message(t, `{"role":"user","content":"go on with the tests"}`)
	record := Record{
		Raw:    []byte(`{"role":"user","content":"` + summary.Mark + ` 4 messages]\n"}`),
		Tokens: 1,
	}
	merged := chattest.Message(
		t,
		string(mergeInto(m, contentOf(new(layout.View), []Record{record}), breakpoint{})),
	)
	alone := chattest.Message(t, string(record.Raw))
	if !isRequest(merged) || isRequest(alone) {
		t.Error("got the record for a request, or the request for a record")
	}
}

// isRequest reports whether a person typed in a message.
func isRequest(m *view.Message) bool {
	t := transcript.ReadAll([]view.Message{*m})
	return m.Role() == view.User && t.Message(0).Speaker == speech.Person
}
