package endpoint

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/messages"
	"killick/responses"
	"killick/view"
)

// inFormat is hello after a client's own body in a format, at an endpoint with this answer.
func inFormat(
	t *testing.T, format view.Format, body string, status int, reply string,
) (r Request, c *Client, sent *[]string) {
	t.Helper()
	sent = new([]string)
	c = New(Options{Transport: wire(func(req *http.Request) (*http.Response, error) {
		raw, err := io.ReadAll(req.Body)
		*sent = append(*sent, string(raw))
		return response(status, reply), err
	})})
	r = hello(t, nowhere)
	var err error
	if r.Prefix, err = view.Parse(format, []byte(body)); err != nil {
		t.Fatal(err)
	}
	r.Target.Model, r.Target.Format, r.Rules = r.Prefix.Model(), format.Name(), ""
	return r, c, sent
}

// Everything except members that would spoil our answer is the client's, byte for byte.
func TestFormatsLeaveTheClientsBytes(t *testing.T) {
	const tool = `"tools" : [{"name":"f","cache_control":{"type":"ephemeral"}}],`
	const function = `"tools" : [{"type":"function","name":"f"}],`
	for _, test := range []struct {
		name         string
		format       view.Format
		fields, want string
	}{
		{"plain", messages.Format, `"temperature" : 1e0,"max_tokens":5, `,
			`"temperature" : 1e0,"max_tokens":8192, `},
		{"a stream", messages.Format, `"stream" : true,"max_tokens":5,"stop_sequences":["}"],`,
			`"stream" : false,"max_tokens":8192,`},
		{"thinking", messages.Format,
			`"thinking":{"type":"enabled","budget_tokens":9000},"max_tokens":32000,`,
			`"thinking":{"type":"enabled","budget_tokens":9000},"max_tokens":17192,`},
		{"interleaved thinking", messages.Format,
			`"thinking":{"type":"enabled","budget_tokens":9000},"max_tokens":2000,`,
			`"thinking":{"type":"enabled","budget_tokens":9000},"max_tokens":17192,`},
		{"tools", messages.Format, tool + `"tool_choice":{"type":"auto"},"max_tokens":8192,`,
			tool + `"tool_choice":{"type":"auto"},"max_tokens":8192,`},
		{"a forced call", messages.Format, tool + `"tool_choice":{"type":"any"},"max_tokens":8192,`,
			tool + `"tool_choice":{"type":"auto"},"max_tokens":8192,`},
		{"a form", messages.Format,
			`"output_config":{"effort":"low","format":{"type":"json_schema","schema":{}}},` +
				`"max_tokens":8192,`,
			`"output_config":{"effort":"low"},"max_tokens":8192,`},
		{"marks and management", messages.Format,
			`"cache_control":{"type":"ephemeral"},"context_management":{"edits":[]},` +
				`"metadata":{"user_id":"u"},"max_tokens":8192,`,
			`"cache_control":{"type":"ephemeral"},"context_management":{"edits":[]},` +
				`"metadata":{"user_id":"u"},"max_tokens":8192,`},

		{"a response", responses.Format, `"store" : true,"max_output_tokens":5, `,
			`"store" : false,"max_output_tokens":8192, `},
		{"a streamed response", responses.Format,
			`"stream":true,"stream_options":{"include_obfuscation":false},"background":true,` +
				`"store":true,"max_output_tokens":5,`,
			`"stream":false,"store":false,"max_output_tokens":8192,`},
		{"reasoning", responses.Format,
			`"reasoning":{"effort":"high"},"include":["reasoning.encrypted_content"],` +
				`"prompt_cache_key":"k","text":{"verbosity":"low"},"store":false,` +
				`"max_output_tokens":8192,`,
			`"reasoning":{"effort":"high"},"include":["reasoning.encrypted_content"],` +
				`"prompt_cache_key":"k","text":{"verbosity":"low"},"store":false,` +
				`"max_output_tokens":8192,`},
		{"a schema", responses.Format, `"text":{"verbosity":"low","format":{"type":"json_schema",` +
			`"name":"theirs","schema":{}}},"store":false,"max_output_tokens":8192,`,
			`"text":{"verbosity":"low","format":{"type":"json_schema","name":"greeting",` +
				`"schema":{"type":"object"},"strict":true}},"store":false,` +
				`"max_output_tokens":8192,`},
		{"a forced function", responses.Format,
			function + `"tool_choice":{"type":"function","name":"f"},"store":false,` +
				`"max_output_tokens":8192,`,
			function + `"tool_choice":"auto","store":false,"max_output_tokens":8192,`},
		{"functions to choose from", responses.Format, function + `"tool_choice":{"type":` +
			`"allowed_tools","mode":"auto","tools":[]},"store":false,"max_output_tokens":8192,`,
			function + `"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[]},` +
				`"store":false,"max_output_tokens":8192,`},
	} {
		t.Run(test.name, func(t *testing.T) {
			const list = `[ {"content":"caf\u00e9 \ud83d","role":"user","x": 2.50}`
			member := `"` + test.format.List() + `":`
			body := `{ "model" : "m",` + test.fields + member + list + " ] }\n"
			was := strings.Clone(body)
			r, c, sent := inFormat(t, test.format, body, http.StatusOK, `{}`)
			_, _ = c.Ask(t.Context(), r) // the answer does not matter
			ours := `,{"role":"user","content":"Hello?"}`
			if test.format == responses.Format {
				ours = `,{"type":"message","role":"user","content":[{"type":"input_text",` +
					`"text":"Hello?"}]}`
			}
			want := `{ "model" : "m",` + test.want + member + list + ours + " ]"
			if !strings.Contains(test.want, `"stream"`) {
				want += `,"stream":false`
			}
			if want += " }\n"; len(*sent) != 1 || (*sent)[0] != want {
				t.Errorf("sent %s\nwant %s", *sent, want)
			}
			if string(r.Prefix.Raw()) != was {
				t.Error("the client's body was changed")
			}
		})
	}
}

func TestRepliesOfFormats(t *testing.T) {
	bodies := map[view.Format]string{
		messages.Format:  `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`,
		responses.Format: `{"model":"m","input":[{"role":"user","content":"x"}]}`,
	}
	const thinking = `{"type":"thinking","thinking":"{}","signature":"s"}`
	message := func(stop string, blocks ...string) string {
		return `{"type":"message","content":[` + strings.Join(blocks, ",") + `],"stop_reason":"` +
			stop + `"}`
	}
	item := func(phase, parts string) string {
		return `{"type":"message","role":"assistant","phase":"` + phase + `","content":[` + parts +
			`]}`
	}
	text := func(text string) string { return `{"type":"output_text","text":"` + text + `"}` }
	res := func(status, more string, items ...string) string {
		return `{"object":"response","status":"` + status + `",` + more + `"output":[` +
			strings.Join(items, ",") + `]}`
	}
	const call = `{"type":"tool_use","id":"1","name":"f","input":{}}`
	const function = `{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}`
	const incomplete = `"incomplete_details":{"reason":"max_output_tokens"},`
	for _, test := range []struct {
		name   string
		format view.Format
		reply  string
		want   Reply
		err    error
	}{
		{"text", messages.Format, message("end_turn", thinking, `{"type":"text","text":"a"}`),
			Reply{Text: "a"}, nil},
		{"a refusal", messages.Format, message("refusal"), Reply{Refused: true}, nil},
		{"cut", messages.Format, message("max_tokens", thinking), Reply{Cut: true}, nil},
		{"cut by the window", messages.Format, message("model_context_window_exceeded"),
			Reply{Cut: true}, nil},
		{"a call", messages.Format, message("tool_use", thinking, call),
			Reply{CalledTool: true}, nil},
		{"text and a call", messages.Format,
			message("tool_use", `{"type":"text","text":"a"}`, call),
			Reply{Text: "a", CalledTool: true}, nil},
		{"an error", messages.Format,
			`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, Reply{},
			ErrUnavailable},
		{"no JSON", messages.Format, `<html>`, Reply{}, ErrUnavailable},

		{"a response", responses.Format, res("completed", "", `{"type":"reasoning","id":"rs_1",`+
			`"summary":[{"type":"summary_text","text":"x"}]}`,
			item("commentary", text("I look.")), item("final_answer", text("a")+","+text("b"))),
			Reply{Text: "ab"}, nil},
		{"a response of an older model", responses.Format,
			res("completed", "", `{"type":"message","content":[`+text("a")+`]}`),
			Reply{Text: "a"}, nil},
		{"commentary alone", responses.Format,
			res("completed", "", item("commentary", text("a"))), Reply{Text: "a"}, nil},
		{"a refused response", responses.Format, res("completed", "",
			item("final_answer", `{"type":"refusal","refusal":"no"}`)), Reply{Refused: true}, nil},
		{"a filtered response", responses.Format,
			res("incomplete", `"incomplete_details":{"reason":"content_filter"},`),
			Reply{Refused: true}, nil},
		{"a cut response", responses.Format, res("incomplete", incomplete), Reply{Cut: true}, nil},
		{"a called function", responses.Format,
			res("completed", "", item("commentary", text("I look.")), function),
			Reply{Text: "I look.", CalledTool: true}, nil},
		{"a response that waits", responses.Format, res("queued", ""), Reply{}, ErrUnavailable},
		{"a failed response", responses.Format,
			res("failed", `"error":{"code":"server_error","message":"x"},`), Reply{},
			ErrUnavailable},
		{"a limited response", responses.Format,
			res("failed", `"error":{"code":"rate_limit_exceeded","message":"x"},`), Reply{},
			ErrUnavailable},
		{"a response that is too long", responses.Format,
			res("failed", `"error":{"code":"context_length_exceeded","message":"x"},`), Reply{},
			ErrTooLong},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, c, _ := inFormat(t, test.format, bodies[test.format], http.StatusOK, test.reply)
			got, err := c.Ask(t.Context(), r)
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("%+v, %v; want %+v, %v", got, err, test.want, test.err)
			}
		})
	}
}

// Errors are classified in the same way in every format.
func TestErrorsOfFormats(t *testing.T) {
	const anthropic = `{"type":"error","error":{"type":"T","message":"M"},"request_id":null}`
	const openai = `{"error":{"message":"M","type":"invalid_request_error","param":"P","code":"C"}}`
	body := `{"model":"m","max_tokens":1,"input":[{"role":"user","content":"x"}],` +
		`"messages":[{"role":"user","content":"x"}]}`
	for _, test := range []struct {
		name    string
		format  view.Format
		status  int
		message string
		want    error
		sent    int
	}{
		{"overloaded", messages.Format, 529, "Overloaded", ErrUnavailable, 1},
		{"limited", messages.Format, 429, "rate limit", ErrUnavailable, 1},
		{"unknown key", messages.Format, 401, "invalid x-api-key", ErrRejected, 1},
		{"too long", messages.Format, 400, "prompt is too long: 9 tokens > 8 maximum", ErrTooLong,
			1},
		{"too long with the answer", messages.Format, 400,
			"input length and `max_tokens` exceed context limit: 9 + 8 > 10", ErrTooLong, 1},
		{"too large", messages.Format, 413, "Request exceeds the maximum size", ErrTooLong, 1},
		{"no room for the answer", messages.Format, 400,
			"max_tokens: 8192 > 4096, which is the maximum allowed number", ErrRejected, 2},
		{"no access", messages.Format, 403, "This credential is only authorized for use",
			ErrRejected, 1},
		{"a limited response", responses.Format, 429, "Rate limit reached", ErrUnavailable, 1},
		{"a response that is too long", responses.Format, 400,
			"Your input exceeds the context window of this model.", ErrTooLong, 1},
		{"no bound", responses.Format, 400, "Unsupported parameter: max_output_tokens",
			ErrRejected, 2},
		{"unknown key of OpenAI's", responses.Format, 401, "Incorrect API key", ErrRejected, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			shape := openai
			if test.format == messages.Format {
				shape = anthropic
			}
			reply := strings.Replace(shape, "M", test.message, 1)
			r, c, sent := inFormat(t, test.format, body, test.status, reply)
			_, err := c.Ask(t.Context(), r)
			if !errors.Is(err, test.want) || len(*sent) != test.sent {
				t.Errorf("%v after %d requests, want %v after %d", err, len(*sent), test.want,
					test.sent)
			}
			if err != nil && strings.Contains(err.Error(), test.message) {
				t.Error("the error repeats the endpoint's words")
			}
		})
	}
}

// In an unknown format nothing is asked.
func TestFormatsThatAreNotKnown(t *testing.T) {
	r := hello(t, nowhere)
	r.Target.Format = "gemini"
	_, err := New(Options{Transport: wire(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return response(http.StatusOK, completion), nil
	})}).Ask(t.Context(), r)
	if !errors.Is(err, ErrRejected) {
		t.Errorf("%v, want a rejection", err)
	}
}

// If the API requires a bound and ours is more than the model can answer, a bound is sent that all
// models accept.
func TestStandaloneBoundOfMessages(t *testing.T) {
	var sent []string
	c := New(Options{Transport: wire(func(req *http.Request) (*http.Response, error) {
		raw, err := io.ReadAll(req.Body)
		if sent = append(sent, string(raw)); len(sent) == 1 {
			return response(http.StatusBadRequest, `{"type":"error","error":{"type":`+
				`"invalid_request_error","message":"max_tokens: 8192 > 4096"}}`), err
		}
		return response(http.StatusOK, `{"content":[{"type":"text","text":"Hello."}]}`), err
	})})
	r := hello(t, nowhere)
	r.Target.Format = "messages"
	for range 2 {
		if got, err := c.Ask(t.Context(), r); err != nil || got.Text != "Hello." {
			t.Fatalf("%+v, %v; want an answer", got, err)
		}
	}
	if len(sent) != 3 || !strings.Contains(sent[2], `"max_tokens":4096`) ||
		!strings.Contains(sent[2], `"system":"Be brief."`) {
		t.Errorf("sent %s, want the smaller bound once it is learned", sent)
	}
}
