package endpoint

import (
	"encoding/json"
	"slices"
	"strconv"

	"killick/rawjson"
	"killick/view"
)

// leftOut are members of a client's request that would spoil our answer. None of them is
// part of the prompt, so leaving them out keeps what the provider has cached. All else of
// the client's goes out as it came.
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

// appended writes a request behind the client's own.
//
// Tools stay and tool_choice stays: providers build the prompt from tools, and
// Anthropic's cache is keyed on the choice
// (https://docs.claude.com/en/docs/build-with-claude/prompt-caching). So the
// instruction alone keeps the model from calling one. A choice that forces a call
// leaves no room for an answer and becomes "auto", and only a model that has
// called a tool all the same is forbidden to. A response_format that is a schema
// of the client's is replaced by ours, since no other answer could be given; any
// other stays, as do reasoning effort and sampling.
func (r *Request) appended(as dialect) written {
	set := map[string]rawjson.Value{"stream": rawjson.Value("false")}
	for _, name := range leftOut {
		set[name] = nil
	}
	w := written{}
	w.bounded, w.replacesClients = r.boundAnswer(set, as)
	r.freeChoice(set)
	if r.Prefix.Field("response_format").Get("type").Is("json_schema") {
		set["response_format"] = nil
		if len(r.Schema.JSON) > 0 && as.format == jsonSchema {
			w.formatted = true
			// A schema of ours can always be encoded.
			set["response_format"], _ = json.Marshal(r.Schema.responseFormat(jsonSchema))
		}
	}
	messages := r.Messages
	if as.strict {
		messages = slices.Insert(slices.Clone(messages), 0, Assistant(filler))
	}
	pieces := []view.Piece{{From: 0, To: len(r.Prefix.Messages())}}
	for _, m := range messages {
		pieces = append(pieces, view.Piece{Raw: m.raw()})
	}
	w.raw = rawjson.WithMembers(r.Prefix.Splice(pieces), set)
	return w
}

// filler is the turn of the model's before our instruction where turns must alternate.
const filler = "One moment."

// raw returns the message as JSON.
func (m Message) raw() []byte {
	raw := rawjson.AppendQuoted([]byte(`{"role":"`+m.Role+`","content":`), m.Text)
	return append(raw, '}')
}

// boundAnswer bounds the answer by the member that the client uses, or else by the one
// that the endpoint is known to take. Where it takes none of ours the client's stays. It
// returns whether a bound of ours is in the request and whether it takes the place of the
// client's.
func (r *Request) boundAnswer(set map[string]rawjson.Value, as dialect) (bounded, clients bool) {
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
func (r *Request) freeChoice(set map[string]rawjson.Value) {
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
