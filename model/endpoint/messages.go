package endpoint

import (
	"encoding/json"
	"net/http"
	"strconv"

	"killick/rawjson"
)

// messagesAPI is Anthropic's Messages API. Its members are those of anthropic-sdk-go v1.84.0.
type messagesAPI struct{}

// versionHeader and defaultVersion: a request without a version is rejected, and there is only one
// version (https://platform.claude.com/docs/en/api/versioning).
const (
	versionHeader  = "Anthropic-Version"
	defaultVersion = "2023-06-01"
)

func (messagesAPI) setHeader(h http.Header) {
	if h.Get(versionHeader) == "" {
		h.Set(versionHeader, defaultVersion)
	}
}

func (messagesAPI) setKey(h http.Header, key string) { h.Set("X-Api-Key", key) }

// appended implements [protocol].
//
// Tools, thinking and cache marks stay: the cache of the messages is keyed on thinking and on
// tool_choice, and a thinking block is only valid after the prefix that it was made for
// (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, …/preserved-thinking).
// Our message follows the user's last one in the same turn: so a running tool loop continues, with
// the thinking that it must begin with. An output format set by the client is removed, since no
// other answer could be given; ours is in the prompt only, because changing the format invalidates
// the cache.
func (messagesAPI) appended(r *Request, as dialect) written {
	set := map[string]rawjson.Value{
		"stream":         rawjson.Value("false"),
		"stop_sequences": nil, // end it elsewhere
		"output_format":  nil, // the form of answers, in the beta
	}
	if config := r.Prefix.Field("output_config"); config.Get("format").Kind() > rawjson.Null {
		set["output_config"] = config.Without("format")
	}
	var w written
	if as.bound != noBound {
		set["max_tokens"] = rawjson.Value(strconv.Itoa(maxMessageTokens(r)))
		w.bounded, w.lastBound = true, true
	}
	if r.Prefix.Field("tools").Kind() == rawjson.Array {
		switch kind := r.Prefix.Field("tool_choice").Get("type"); {
		case r.ForbidTools:
			set["tool_choice"] = rawjson.Value(`{"type":"none"}`)
		case kind.Is("any"), kind.Is("tool"):
			set["tool_choice"] = rawjson.Value(`{"type":"auto"}`)
		}
	}
	w.body = r.appended(set, plainMessages(r.turns(as)))
	return w
}

// maxMessageTokens returns the bound of an answer. It must exceed the thinking budget, so the
// answer's own share is added to that, up to the client's bound, which the model is known to
// accept.
func maxMessageTokens(r *Request) int {
	thinking := r.Prefix.Field("thinking")
	budget, ok := thinking.Get("budget_tokens").Int()
	if !ok || !thinking.Get("type").Is("enabled") {
		return r.MaxOutput
	}
	most := budget + r.MaxOutput
	if client, ok := r.Prefix.Field("max_tokens").Int(); ok && client > budget {
		most = min(most, client)
	}
	return most
}

// minModelLimit is an answer limit that every model supports.
const minModelLimit = 4096

func (messagesAPI) standalone(r *Request, as dialect) written {
	rules, messages := r.standalone(as)
	body := struct {
		Model     string            `json:"model,omitempty"`
		MaxTokens int               `json:"max_tokens"`
		System    string            `json:"system,omitempty"`
		Messages  []json.RawMessage `json:"messages"`
	}{Model: r.Target.Model, MaxTokens: r.MaxOutput, System: rules}
	if as.bound == noBound { // there must be one
		body.MaxTokens = min(r.MaxOutput, minModelLimit)
	}
	for _, raw := range plainMessages(messages) {
		body.Messages = append(body.Messages, raw)
	}
	return written{body: encoded(body), bounded: as.bound != noBound, lastBound: true}
}

// read implements [protocol]. Thinking is not part of the answer.
func (messagesAPI) read(reply rawjson.Value) (Reply, error) {
	content := reply.Get("content")
	if content.Kind() != rawjson.Array {
		return Reply{}, errNoAnswer
	}
	var text []byte
	called := false
	for block := range content.Elements() {
		switch kind := block.Get("type"); {
		case kind.Is("text"):
			text = block.Get("text").AppendText(text)
		case kind.Is("tool_use"):
			called = true
		}
	}
	stop := reply.Get("stop_reason")
	return Reply{
		Text:       string(text),
		Refused:    stop.Is("refusal"),
		Cut:        stop.Is("max_tokens") || stop.Is("model_context_window_exceeded"),
		CalledTool: called,
	}, nil
}
