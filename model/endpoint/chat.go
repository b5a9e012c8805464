package endpoint

import (
	"encoding/json"
	"net/http"
	"strconv"

	"killick/rawjson"
)

// chatCompletions is OpenAI's chat completions, which most others support as well.
type chatCompletions struct{}

func (chatCompletions) setHeader(http.Header)            {}
func (chatCompletions) setKey(h http.Header, key string) { setBearer(h, key) }

// leftOut are members of a client's request that would interfere with our answer. None of them is
// part of the prompt, so removing them keeps the provider's cache valid. Everything else of the
// client's request is sent unchanged.
var leftOut = []string{
	"stream_options", // refused without stream
	"n", "best_of",   // answers that nobody reads
	"stop", "stop_token_ids", "min_tokens", "ignore_eos", // end it elsewhere
	"logprobs", "top_logprobs", "logit_bias",
	"prediction",          // refused beside a bound
	"modalities", "audio", // speech
	"grammar", "guided_json", "guided_regex", "guided_choice", "guided_grammar",
	"structured_outputs", "json_schema", // other forms, of vLLM and llama.cpp
	"continue_final_message", "add_generation_prompt",
}

// bounds are the members that bound an answer, by dialect.
var bounds = [...]string{maxCompletionTokens: "max_completion_tokens", maxTokens: "max_tokens"}

// appended implements [protocol].
//
// Tools stay and tool_choice stays: providers build the prompt from tools, and
// Anthropic's cache is keyed on the choice
// (https://docs.claude.com/en/docs/build-with-claude/prompt-caching). So the
// instruction alone keeps the model from calling one. A choice that forces a call
// makes an answer impossible and becomes "auto"; only a model that called a tool
// anyway is forbidden to. A response_format that is a schema of the client's is
// replaced by ours, since no other answer could be given; any other stays, as do
// reasoning effort and sampling.
func (chatCompletions) appended(r *Request, as dialect) written {
	set := map[string]rawjson.Value{"stream": rawjson.Value("false")}
	for _, name := range leftOut {
		set[name] = nil
	}
	w := written{}
	w.bounded, w.lastBound = boundAnswer(r, set, as)
	freeChoice(r, set)
	if r.Prefix.Field("response_format").Get("type").Is("json_schema") {
		set["response_format"] = nil
		if len(r.Schema.JSON) > 0 && as.shape == jsonSchema {
			w.formatted = true
			set["response_format"] = encoded(responseFormat(r.Schema, jsonSchema))
		}
	}
	w.body = r.appended(set, plainMessages(r.turns(as)))
	return w
}

// plainMessages returns messages with a string for their content, as JSON.
func plainMessages(messages []Message) (raw [][]byte) {
	for _, m := range messages {
		one := rawjson.AppendQuoted([]byte(`{"role":"`+m.Role+`","content":`), m.Text)
		raw = append(raw, append(one, '}'))
	}
	return raw
}

// boundAnswer bounds the answer with the member that the client uses, or else the one that
// the endpoint is known to accept. If it accepts none of ours, the client's stays. It
// returns whether our bound is in the request and whether it replaces the client's.
func boundAnswer(
	r *Request, set map[string]rawjson.Value, as dialect,
) (bounded, clients bool) {
	if as.bound == noBound {
		return false, false
	}
	most := rawjson.Value(strconv.Itoa(r.MaxOutput))
	for _, name := range bounds {
		if r.Prefix.Field(name).Kind() == rawjson.Number {
			set[name] = most
			return true, true
		}
	}
	set[bounds[as.bound]] = most
	return true, false
}

// freeChoice lets the model answer instead of calling a tool.
func freeChoice(r *Request, set map[string]rawjson.Value) {
	for _, pair := range [][2]string{{"tools", "tool_choice"}, {"functions", "function_call"}} {
		choice := r.Prefix.Field(pair[1])
		switch {
		case r.Prefix.Field(pair[0]).Kind() != rawjson.Array:
		case r.ForbidTools:
			set[pair[1]] = rawjson.Value(`"none"`)
		case choice.Get("allowed_tools").Get("mode").Is("auto"): // forces none
		case choice.Kind() == rawjson.Object, choice.Is("required"), choice.Is("any"):
			set[pair[1]] = rawjson.Value(`"auto"`)
		}
	}
}

// responseFormat is the response_format that asks for a schema.
func responseFormat(s Schema, as shape) any {
	type jsonFormat struct {
		Type   string        `json:"type"`
		Schema *strictSchema `json:"json_schema,omitempty"`
	}
	if as == jsonObject {
		return jsonFormat{Type: "json_object"}
	}
	return jsonFormat{"json_schema", &strictSchema{Name: s.Name, Schema: s.JSON, Strict: true}}
}

// strictSchema is a schema that the answer must follow exactly.
type strictSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

func (chatCompletions) standalone(r *Request, as dialect) written {
	rules, messages := r.standalone(as)
	if rules != "" {
		messages = append([]Message{{roleSystem, rules}}, messages...)
	}
	body := struct {
		Model     string            `json:"model,omitempty"`
		Messages  []json.RawMessage `json:"messages"`
		MaxTokens int               `json:"max_tokens,omitempty"`
		MaxOutput int               `json:"max_completion_tokens,omitempty"`
		Stream    bool              `json:"stream"`
		Format    any               `json:"response_format,omitempty"`
	}{Model: r.Target.Model}
	for _, raw := range plainMessages(messages) {
		body.Messages = append(body.Messages, raw)
	}
	switch as.bound {
	case maxCompletionTokens:
		body.MaxOutput = r.MaxOutput
	case maxTokens:
		body.MaxTokens = r.MaxOutput
	}
	w := written{bounded: as.bound != noBound}
	if len(r.Schema.JSON) > 0 && as.shape != noShape {
		w.formatted = true
		body.Format = responseFormat(r.Schema, as.shape)
	}
	w.body = encoded(body)
	return w
}

// encoded encodes new members. Our schemas can always be encoded.
func encoded(v any) []byte {
	raw, _ := json.Marshal(v)
	return raw
}

func (chatCompletions) read(reply rawjson.Value) (Reply, error) {
	for choice := range reply.Get("choices").Elements() {
		message, finish := choice.Get("message"), choice.Get("finish_reason")
		content := message.Get("content")
		text := content.AppendText(nil)
		for part := range content.Elements() {
			text = part.Get("text").AppendText(text)
		}
		called := message.Get("function_call").Kind() == rawjson.Object
		for range message.Get("tool_calls").Elements() {
			called = true
		}
		return Reply{
			Text:       string(text),
			Refused:    message.Get("refusal").Text() != "" || finish.Is("content_filter"),
			Cut:        finish.Is("length"),
			CalledTool: called,
		}, nil
	}
	return Reply{}, errNoAnswer
}
