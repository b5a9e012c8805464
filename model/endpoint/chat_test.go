package endpoint

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/rawjson"
)

const tools = `"tools":[{"type":"function","function":{"name":"write_file","parameters":` +
	`{"type":"object","properties":{"path":{"type":"string"}}}}}],`

// sent returns the body of a request as sent.
func sent(t *testing.T, r Request) string {
	t.Helper()
	var body []byte
	c := New(Options{Transport: wire(func(req *http.Request) (*http.Response, error) {
		var err error
		body, err = io.ReadAll(req.Body)
		return response(http.StatusOK, completion), err
	})})
	if _, err := c.Ask(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestAppendLeavesTheClientsBytes(t *testing.T) {
	const head = `{ "model" : "gpt-5.1",`
	const messages = `{"role":"system","content":"Be brief."} , ` +
		`{"content":"caf\u00e9 \ud83d","role":"user","x": 2.50}`
	for _, test := range []struct {
		name, fields, want string
	}{
		{"plain", `"temperature" : 1e0, `, `"temperature" : 1e0, `},
		{"a stream", `"stream":true , "stream_options":{"include_usage":true},`, `"stream":false,`},
		{"bounds", `"max_tokens": 5,`, `"max_tokens": 8192,`},
		{"newer bounds", `"max_completion_tokens": 5,`, `"max_completion_tokens": 8192,`},
		{"choices, stops and probabilities", `"n":3,"stop":["}"],"logprobs":true,` +
			`"top_logprobs":2,"logit_bias":{"1":-100},"a":1,`, `"a":1,`},
		{"speech", `"modalities":["text","audio"],"audio":{"voice":"alloy"},"a":1,`, `"a":1,`},
		{"other grammars", `"guided_regex":"x","grammar":"y","a":1,`, `"a":1,`},
		{"tools", tools + `"tool_choice":"auto","parallel_tool_calls":false,`, ""},
		{"a forced call", tools + `"tool_choice":"required",`, tools + `"tool_choice":"auto",`},
		{"a certain call", tools + `"tool_choice": {"type":"function","function":{"name":"f"}},`,
			tools + `"tool_choice": "auto",`},
		{"a choice among some", tools + `"tool_choice":{"type":"allowed_tools",` +
			`"allowed_tools":{"mode":"auto","tools":[]}},`, ""},
		{"a forced call of old", `"functions":[{"name":"f"}],"function_call":{"name":"f"},`,
			`"functions":[{"name":"f"}],"function_call":"auto",`},
		{"JSON", `"response_format":{"type":"json_object"},`, ""},
		{"a cache key", `"prompt_cache_key":"k","reasoning_effort":"high","user":"u","store":true,`,
			""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "" { // as received
				test.want = test.fields
			}
			prefix := head + test.fields + ` "messages":[ ` + messages + " ] }\n"
			was := strings.Clone(prefix)
			r := afterBody(t, nowhere, prefix)
			got := sent(t, r)
			want := head + test.want + ` "messages":[ ` + messages +
				`,{"role":"user","content":"Hello?"} ],`
			if !strings.Contains(test.want, "max_") {
				want += `"max_completion_tokens":8192,`
			}
			if !strings.Contains(test.want, `"stream"`) {
				want += `"stream":false,`
			}
			want = strings.TrimSuffix(want, ",") + " }\n"
			if got != want || string(r.Prefix.Raw()) != was {
				t.Errorf("sent %s\nwant %s", got, want)
			}
		})
	}
}

func TestAppendReplacesAForeignSchema(t *testing.T) {
	r := afterBody(t, nowhere, `{"model":"gpt-5.1","response_format":{"type":"json_schema",`+
		`"json_schema":{"name":"theirs","schema":{}}},`+
		`"messages":[{"role":"user","content":"hello"}]}`)
	format := rawjson.Value(sent(t, r)).Get("response_format").Get("json_schema")
	if !format.Get("name").Is("greeting") || string(format.Get("strict")) != "true" {
		t.Errorf("the response format is %s, want ours: no other answer could be given", format)
	}
}

func TestAppendForbidsTools(t *testing.T) {
	r := afterBody(
		t,
		nowhere,
		`{"model":"m",`+tools+`"messages":[{"role":"user","content":"hello"}]}`,
	)
	for forbid, want := range map[bool]string{false: "", true: "none"} {
		r.ForbidTools = forbid
		if got := rawjson.Value(sent(t, r)).Get("tool_choice").Text(); got != want {
			t.Errorf("forbidden %v: tool_choice %q, want %q", forbid, got, want)
		}
	}
}
