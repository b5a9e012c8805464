package replay

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"killick/chat"
)

const (
	hello  = `{"role":"user","content":"hello"}`
	hi     = `{"role":"assistant","content":"hi"}`
	thanks = `{"role":"user","content":"thanks"}`
	bye    = `{"role":"assistant","content":"bye"}`
)

func TestRead(t *testing.T) {
	for name, test := range map[string]struct {
		file string
		want []string // id, fields, number of messages
	}{
		"transcripts": {
			`{"id":"a","source":"s","tools":[],"messages":[` + hello + `,` + hi + `]}` + "\n\n" +
				`{"id":"b","model":"m","messages":[` + hello + `]}`,
			[]string{`a {"tools":[]} 2`, `b {"model":"m"} 1`},
		},
		"two transcripts that begin alike": {
			`{"id":"a","messages":[` + hello + `,` + hi + `]}{"id":"b","messages":[` + hello + `,` +
				hi + `,` + thanks + `]}`,
			[]string{`a {} 2`, `b {} 3`},
		},
		"ids of every scalar": {
			`{"id":7,"seed":1,"messages":[` + hello + `]}{"id":-1.50,"messages":[` + hello +
				`]}{"id":true,"messages":[` + thanks + `]}{"id":null,"n":1,"messages":[` +
				thanks + `]}{"id":8,"seed":1,"system":"s","messages":[` + hello + `]}`,
			[]string{`7 {} 1`, `-1.50 {} 1`, `true {} 1`, `f.jsonl:1 {"id":null,"n":1} 1`,
				`8 {} 2`},
		},
		"a text of Responses, and what follows": {
			`{"model":"m","input":"hello"}` + "\n" + `{"model":"m","input":[{"role":"user",` +
				`"content":"hello"},{"role":"assistant","content":"hi"}]}`,
			[]string{`f.jsonl {"model":"m"} 2`},
		},
		"messages": {
			"[\n" + hello + ",\n" + hi + "]\n",
			[]string{`f.jsonl {} 2`},
		},
		"a byte order mark": {"\ufeff[" + hello + "]\n[" + thanks + "]",
			[]string{`f.jsonl:1 {} 1`, `f.jsonl:2 {} 1`}},
		"messages a line": {
			"[" + hello + "," + hi + "]\n[" + thanks + "]",
			[]string{`f.jsonl:1 {} 2`, `f.jsonl:2 {} 1`},
		},
		"a body over several lines": {
			"{\n \"model\": \"m\",\n \"temperature\": 0.70,\n \"messages\": [" + hello +
				"],\n \"n\": 1\n}",
			[]string{`f.jsonl {"model":"m","temperature":0.70,"n":1} 1`},
		},
		"a log": {
			`{"model":"m","messages":[` + hello + `]}` + "\n" +
				`{"model":"x","messages":[` + thanks + `]}` + "\n" + // another one
				`{"model":"m","messages":[` + hello + `,` + hi + `,` + thanks + `]}` + "\n" +
				`{"model":"m","messages":[` + hello + `]}` + "\n" + // sent again
				`{"model":"n","messages":[` + hello + `,` + hi + `,` + thanks + `,` + bye + `,` +
				thanks + `]}`,
			[]string{`f.jsonl:1 {"model":"n"} 5`, `f.jsonl:2 {"model":"x"} 1`},
		},
		"a log in which cache marks move": {
			`{"messages":[{"role":"user","content":[{"type":"text","text":"hello",` +
				`"cache_control":{"type":"ephemeral"}}]}]}` + "\n" +
				`{"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]},` + hi +
				`,` + thanks + `]}`,
			[]string{`f.jsonl {} 3`},
		},
		"a log with a branch": {
			`{"messages":[` + hello + `,` + hi + `,` + thanks + `]}` + "\n" + `{"messages":[` +
				hello + `,` + bye + `,` + thanks + `]}`,
			[]string{`f.jsonl:1 {} 3`, `f.jsonl:2 {} 3`},
		},
		"a log of Messages": {
			`{"model":"m","system":"s","messages":[` + hello + `]}` + "\n" +
				`{"model":"m","system":"s","messages":[` + hello + `,{"role":"assistant",` +
				`"content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},{"role":"user",` +
				`"content":[{"type":"tool_result","tool_use_id":"t","content":"a"},` +
				`{"type":"text","text":"thanks"}]}]}`,
			[]string{`f.jsonl {"model":"m"} 5`},
		},
		"a log of Responses": {
			`{"model":"m","store":false,"input":[` + hello + `]}` + "\n" +
				`{"model":"m","store":false,"input":[` + hello + `,{"type":"function_call",` +
				`"call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output",` +
				`"call_id":"c","output":"a"}]}`,
			[]string{`f.jsonl {"model":"m"} 3`},
		},
		"items": {
			`[` + hello + `,{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"c","output":"a"}]`,
			[]string{`f.jsonl {} 3`},
		},
		"an array of bodies": {
			`[{"messages":[` + hello + `]},{"messages":[` + hello + `,` + hi + `,` + thanks + `]}]`,
			[]string{`f.jsonl {} 3`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := Read("f.jsonl", strings.NewReader(test.file))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tr := range all {
				got = append(got, fmt.Sprintf("%s {%s} %d", tr.ID, tr.Fields, len(tr.Messages)))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("read %q, want %q", got, test.want)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	for file, want := range map[string]string{
		"": `f.jsonl: no conversation in it; want transcripts or ` +
			`bodies of requests, one per line, an array of messages, or a ` +
			`session file of Claude Code or Codex`,
		"\n\n[]\n": `f.jsonl: no conversation in it; want transcripts or ` +
			`bodies of requests, one per line, an array of messages, or a ` +
			`session file of Claude Code or Codex`,
		"\n{\"id\":\"a\"}": `f.jsonl:2: neither a conversation nor a message; want an ` +
			`object with "messages", "input" or "contents", an array of messages, or a ` +
			`session file of Claude Code or Codex`,
		`{"messages":"no"}`: `f.jsonl:1: neither a conversation nor a message; want an ` +
			`object with "messages", "input" or "contents", an array of messages, or a ` +
			`session file of Claude Code or Codex`,
		`{"id":[1],"messages":[` + hello + `]}`: `f.jsonl:1: "id" is neither a text nor a ` +
			`number; write one, or remove it`,
		`"text"`: `f.jsonl:1: neither a conversation nor a message; want an ` +
			`object with "messages", "input" or "contents", an array of messages, or a ` +
			`session file of Claude Code or Codex`,
		"[" + hello + ",\n 7]":      `f.jsonl:1: message 1: not an object`,
		"[" + hello + ",{\"a\":1}]": `f.jsonl:1: message 1: no role`,
		"[" + hello +
			"]\n\n{oops": `f.jsonl:3: not JSON: invalid character 'o' looking for beginning of ` +
			`object key string; want transcripts or bodies of requests, one per line, an ` +
			`array of messages, or a session file of Claude Code or Codex`,
		"\n\n{\"messages\":[": `f.jsonl:1: the JSON that follows has no end; is the file cut off?`,
	} {
		all, err := Read("f.jsonl", strings.NewReader(file))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %d conversations, error\n%v\nwant\n%s", file, len(all), err, want)
		}
	}
}

func TestNamesAreDistinct(t *testing.T) {
	all, err := Read("f", strings.NewReader(`{"messages":[`+hello+`]}{"messages":[`+thanks+`]}
		{"id":"a","messages":[`+hello+`]}{"id":"a","messages":[`+thanks+`]}
		{"id":"a (2)","messages":[`+thanks+`]}{"id":"a","messages":[`+thanks+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	NameApart(all)
	var got []string
	for _, transcript := range all {
		got = append(got, transcript.ID)
	}
	if want := []string{"f:1", "f:1 (2)", "a", "a (3)", "a (2)", "a (4)"}; !slices.Equal(got,
		want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSetModel(t *testing.T) {
	for _, test := range [][3]string{
		{``, "", `"model":"` + DefaultModel + `"`},
		{`"model":"m","n":1`, "", `"model":"m","n":1`},
		{`"n":1,"model":"m"`, "x", `"model":"x","n":1`},
		{`"tools":[{"a":[1, 2]}]`, "x", `"model":"x","tools":[{"a":[1, 2]}]`},
	} {
		tr := &Transcript{Fields: []byte(test[0])}
		tr.SetModel(test[1])
		if got := string(tr.Fields); got != test[2] {
			t.Errorf("model %q in %s: %s, want %s", test[1], test[0], got, test[2])
		}
	}
}

// Whatever is read can be replayed: its requests are valid.
func FuzzRead(f *testing.F) {
	f.Add(`{"id":"a","tools":[],"messages":[` + hello + `,` + hi + `]}`)
	f.Add("[" + hello + "," + hi + "]\n[" + thanks + "]")
	f.Add(`{"model":"m","messages":[` + hello + `]}` + "\n" + `{"model":"m","messages":[` + hello +
		`,` + hi + `,` + thanks + `]}`)
	f.Add(`[{"messages":[{"role":"user","content":["a",{"type":"text","text":"b"}]}]},[],` +
		`{"messages":[]}]`)
	f.Add(`{"a":1,"a":2,"messages":[],"messages":[` + hello + `]}`)
	for _, name := range []string{"claude", "codex", "codex-token-count"} {
		file, err := os.ReadFile("sessions/testdata/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(file))
	}
	f.Fuzz(func(t *testing.T, file string) {
		all, err := Read("f", strings.NewReader(file))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("an error that does not begin with the file: %v", err)
			}
			return
		}
		for _, tr := range all {
			tr.SetModel("")
			req, err := chat.Parse(tr.Body(len(tr.Messages)))
			if err != nil {
				t.Fatalf("the body of %q: %v", file, err)
			}
			if len(req.Messages()) != len(tr.Messages) || req.Model() == "" && tr.Model() != "" {
				t.Errorf("%d messages, want %d; model %q", len(req.Messages()), len(tr.Messages),
					req.Model())
			}
			if tr.Usage != nil {
				tr.FitUsage(say{})
			}
			if _, err := NewStudy(tr, say{}); err != nil {
				t.Error(err)
			}
		}
	})
}
