package view_test

import (
	"bytes"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

func TestPeekModel(t *testing.T) {
	long := strings.Repeat("a long text ", 1000)
	messages := `"messages":[{"role":"user","content":"` + long + `"}]`
	for name, test := range map[string]struct{ body, want string }{
		"first": {`{"model":"a",` + messages + `}`, "a"},
		"after scalars": {` { "temperature" : 2.50, "model" : "a/b-1" ,` + messages + `}`,
			"a/b-1"},
		"after tools": {`{"tools":[{"model":"x"}],"model":"a",` + messages + `}`, "a"},
		"last":        {`{` + messages + `,"model":"a"}`, "a"},
		"before scalars": {`{` + messages +
			`, "model" : "a", "stream":true, "n":1, "stop":null } ` + "\n", "a"},
		"before an object": {`{` + messages +
			`,"model":"a","stream_options":{"include_usage":true},"stop":["x","model"]}`, "a"},
		"nested only":      {`{` + messages + `,"metadata":{"model":"a"}}`, ""},
		"in a string only": {`{` + messages + `,"user":"x,\"model\":\"a\""}`, ""},
		"a text of a message": {`{"messages":[{"role":"user","content":"\",\"model\":\"a\"}"}]}`,
			""},
		"an element":       {`{` + messages + `,"stop":["model"]}`, ""},
		"a value":          {`{` + messages + `,"user":"model"}`, ""},
		"far after":        {`{` + messages + `,"model":"a","user":"` + long + `"}`, ""},
		"between far ones": {`{"user":"` + long + `","model":"a",` + messages + `}`, ""},
		"cut off":          {`{"model":"` + long + `",` + messages + `}`, ""},
		"no string":        {`{"model":17,` + messages + `}`, ""},
		"none":             {`{` + messages + `}`, ""},
		"no object":        {`[` + messages + `]`, ""},
		"nothing":          {``, ""},
		"a bracket":        {`}`, ""},
		"an escaped name":  {`{` + messages + `,"model":"a\/b"}`, ""},
	} {
		if got := view.PeekModel([]byte(test.body)).Text(); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// FuzzPeekModel: the result is the model of a request that names only one.
func FuzzPeekModel(f *testing.F) {
	for _, seed := range []string{
		`{"model":"a","messages":[]}`,
		`{"messages":[{"role":"user","content":"x"}],"model":"a",` +
			`"stream_options":{"include_usage":true}}`,
		`{"messages":[],"user":"\",\"model\":\"a"}`,
		`{"messages":[{"role":"user","content":"\\"}],"stop":["\\\"",{"model":"b"}],"model":"a"}`,
		`{"\u006dodel":"b","messages":[],"n":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := chat.Parse(body)
		if err != nil {
			return
		}
		n := r.FieldsNamed("model")
		if peeked := view.PeekModel(body); peeked != nil &&
			(n == 0 || n == 1 && !bytes.Equal(peeked, r.Field("model"))) {
			t.Errorf("%s: peeked %s of %d models, want %s", body, peeked, n, r.Field("model"))
		}
	})
}
