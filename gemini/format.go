package gemini

import (
	"killick/rawjson"
	"killick/view"
)

// Format is the wire format of generateContent.
var Format view.Format = format{}

// CodeAssist is the wire format of Code Assist: a body has a request in its member request, and the
// model beside it.
var CodeAssist view.Format = nested{}

// format implements [view.Format], which says what its methods do.
type format struct{}

// nested is the same within a member. Its messages are those of [Format].
type nested struct{ format }

func (nested) Name() string   { return "code_assist" }
func (nested) Within() string { return "request" }

// spelling: parts have no types.
var spelling = view.Spelling{OnlyParts: true, Content: "parts", JoinsTurns: true}

func (format) Name() string            { return "gemini" }
func (format) Within() string          { return "" }
func (format) List() string            { return "contents" }
func (format) Spelling() view.Spelling { return spelling }
func (format) Open(*view.Message) bool { return false }

// Mark implements [view.Format]: there are no marks.
func (format) Mark(_ *view.Request, pieces []view.Piece) []view.Piece { return pieces }

// Rules implements [view.Format]. A cached content is the beginning of the conversation, of which
// only the server has the text.
func (format) Rules(r *view.Request) view.Rules {
	rules := view.Rules{UserFirst: true}
	if field(r, "cachedContent", "cached_content").Kind() > rawjson.Null {
		rules.Passthrough = view.ServerState
	}
	return rules
}

func (format) Preamble(r *view.Request) (p view.Preamble) {
	for tool := range r.Field("tools").Elements() {
		if declared := get(tool, "functionDeclarations", "function_declarations"); declared != nil {
			p.Tools = append(p.Tools, declared)
		}
	}
	instruction := field(r, "systemInstruction", "system_instruction")
	for part := range instruction.Get("parts").Elements() {
		if text := part.Get("text"); text.Kind() == rawjson.String {
			p.Instructions = append(p.Instructions, text)
		}
	}
	config := field(r, "generationConfig", "generation_config")
	if p.Schema = get(config, "responseJsonSchema", "response_json_schema"); p.Schema == nil {
		p.Schema = get(config, "responseSchema", "response_schema")
	}
	return p
}

func (format) Limits(r *view.Request) (l view.Limits) {
	config := field(r, "generationConfig", "generation_config")
	l.Output, _ = get(config, "maxOutputTokens", "max_output_tokens").Int()
	return l
}

// field returns a member of the body in either spelling.
func field(r *view.Request, camel, snake string) rawjson.Value {
	if v := r.Field(camel); v != nil {
		return v
	}
	return r.Field(snake)
}
