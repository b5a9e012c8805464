package endpoint

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"

	"killick/rawjson"
)

// responsesAPI is OpenAI's Responses API. Its members are those of openai-go v3.95.0.
type responsesAPI struct{}

func (responsesAPI) setHeader(http.Header)            {}
func (responsesAPI) setKey(h http.Header, key string) { setBearer(h, key) }

// responsesLeftOut corresponds to leftOut for chat completions.
var responsesLeftOut = []string{
	"stream_options", // refused without stream
	"background",     // is answered before there is an answer, and refused without store
	"top_logprobs",
}

// appended implements [protocol].
//
// Tools, reasoning, the settings of the cache and include stay, as does the text format unless it
// is a schema of the client's, which is replaced by ours: changing the format misses the provider's
// cache (ResponsePromptCacheDiagnostics has text_format_changed). Nothing is stored.
func (responsesAPI) appended(r *Request, as dialect) written {
	set := map[string]rawjson.Value{
		"stream": rawjson.Value("false"),
		"store":  rawjson.Value("false"),
	}
	for _, name := range responsesLeftOut {
		set[name] = nil
	}
	var w written
	if as.bound != noBound {
		set["max_output_tokens"] = rawjson.Value(strconv.Itoa(r.MaxOutput))
		w.bounded, w.lastBound = true, true
	}
	if r.Prefix.Field("tools").Kind() == rawjson.Array {
		switch choice := r.Prefix.Field("tool_choice"); {
		case r.ForbidTools:
			set["tool_choice"] = rawjson.Value(`"none"`)
		case choice.Get("type").Is("allowed_tools") && choice.Get("mode").Is("auto"): // forces none
		case choice.Kind() == rawjson.Object, choice.Is("required"):
			set["tool_choice"] = rawjson.Value(`"auto"`)
		}
	}
	if text := r.Prefix.Field("text"); text.Get("format").Get("type").Is("json_schema") {
		var form rawjson.Value
		if len(r.Schema.JSON) > 0 && as.shape == jsonSchema {
			w.formatted = true
			form = encoded(textFormat(r.Schema, jsonSchema))
		}
		set["text"] = rawjson.WithMembers(text, map[string]rawjson.Value{"format": form})
	}
	w.body = r.appended(set, inputItems(r.turns(as)))
	return w
}

// textFormat is the text.format that asks for a schema.
func textFormat(s Schema, as shape) any {
	if as == jsonObject {
		return struct {
			Type string `json:"type"`
		}{"json_object"}
	}
	return struct {
		Type string `json:"type"`
		strictSchema
	}{"json_schema", strictSchema{Name: s.Name, Schema: s.JSON, Strict: true}}
}

// inputItems returns messages as items of the input.
func inputItems(messages []Message) (raw [][]byte) {
	for _, m := range messages {
		part := "input_text"
		if m.Role == roleAssistant {
			part = "output_text"
		}
		item := []byte(`{"type":"message","role":"` + m.Role + `","content":[{"type":"` + part +
			`","text":`)
		raw = append(raw, append(rawjson.AppendQuoted(item, m.Text), `}]}`...))
	}
	return raw
}

func (responsesAPI) standalone(r *Request, as dialect) written {
	rules, messages := r.standalone(as)
	type text struct {
		Format any `json:"format"`
	}
	body := struct {
		Model        string            `json:"model,omitempty"`
		Instructions string            `json:"instructions,omitempty"`
		Input        []json.RawMessage `json:"input"`
		MaxOutput    int               `json:"max_output_tokens,omitempty"`
		Store        bool              `json:"store"`
		Stream       bool              `json:"stream"`
		Text         *text             `json:"text,omitempty"`
	}{Model: r.Target.Model, Instructions: rules}
	for _, raw := range inputItems(messages) {
		body.Input = append(body.Input, raw)
	}
	var w written
	if as.bound != noBound {
		body.MaxOutput = r.MaxOutput
		w.bounded, w.lastBound = true, true
	}
	if len(r.Schema.JSON) > 0 && as.shape != noShape {
		w.formatted = true
		body.Text = &text{textFormat(r.Schema, as.shape)}
	}
	w.body = encoded(body)
	return w
}

// read implements [protocol]. Reasoning is not part of the answer, nor is commentary before the
// final message, unless there is nothing else.
func (responsesAPI) read(reply rawjson.Value) (Reply, error) {
	status, output := reply.Get("status"), reply.Get("output")
	if status.Is("failed") {
		return Reply{}, failed(reply.Get("error"))
	}
	if output.Kind() != rawjson.Array || status.Is("queued") || status.Is("in_progress") {
		return Reply{}, errNoAnswer
	}
	var final, commentary []byte
	var got Reply
	for item := range output.Elements() {
		switch kind := item.Get("type"); {
		case !kind.Is("message"):
			got.CalledTool = got.CalledTool || item.Get("call_id").Kind() == rawjson.String
		case item.Get("phase").Is("commentary"):
			commentary = got.addText(commentary, item)
		default:
			final = got.addText(final, item)
		}
	}
	why := reply.Get("incomplete_details").Get("reason")
	got.Text = cmp.Or(string(final), string(commentary))
	got.Refused = got.Refused || why.Is("content_filter")
	got.Cut = why.Is("max_output_tokens")
	return got, nil
}

// addText appends the text of a message of the model's, and notes a refusal in it.
func (r *Reply) addText(text []byte, item rawjson.Value) []byte {
	for part := range item.Get("content").Elements() {
		switch kind := part.Get("type"); {
		case kind.Is("output_text"):
			text = part.Get("text").AppendText(text)
		case kind.Is("refusal"):
			r.Refused = true
		}
	}
	return text
}

// failed is the error of a response that failed after it was accepted, with the status of what it
// is: ResponseErrorCode of openai-go.
func failed(of rawjson.Value) rejection {
	status := http.StatusBadRequest
	switch code := of.Get("code"); {
	case code.Is("rate_limit_exceeded"):
		status = http.StatusTooManyRequests
	case code.Is("server_error"), of.Kind() != rawjson.Object:
		status = http.StatusInternalServerError
	}
	return rejection{status, wordsOf(of)}
}
