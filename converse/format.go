package converse

import (
	"killick/rawjson"
	"killick/view"
	"killick/view/claude"
)

// Format is the wire format of Converse.
var Format view.Format = format{}

// format implements [view.Format], which says what its methods do.
type format struct{}

// spelling: blocks have no types. Turns that a change makes consecutive are joined, since the API
// refuses "a conversation [that does not] alternate between user and assistant roles"
// (langchain-ai/langchain-aws#192).
var spelling = view.Spelling{OnlyParts: true, JoinsTurns: true, Alternates: true}

func (format) Name() string            { return "converse" }
func (format) List() string            { return "messages" }
func (format) Within() string          { return "" }
func (format) Spelling() view.Spelling { return spelling }
func (format) Open(*view.Message) bool { return false }

// Preamble implements [view.Format]. Guarded texts of the instructions are instructions too.
func (format) Preamble(r *view.Request) (p view.Preamble) {
	config := r.Field("toolConfig")
	if tools := config.Get("tools"); tools.Kind() == rawjson.Array {
		p.Tools = append(p.Tools, tools)
	}
	p.Choice = config.Get("toolChoice").Get("tool")
	for block := range r.Field("system").Elements() {
		text := block.Get("text")
		if guarded := block.Get("guardContent"); guarded != nil {
			text = guarded.Get("text").Get("text")
		}
		if text.Kind() == rawjson.String {
			p.Instructions = append(p.Instructions, text)
		}
	}
	return p
}

func (format) Limits(r *view.Request) (l view.Limits) {
	l.Output, _ = r.Field("inferenceConfig").Get("maxTokens").Int()
	return l
}

// Rules implements [view.Format]. What only Claude has is among the additional fields. With
// promptVariables, the conversation begins with a prompt that only the server has.
func (format) Rules(r *view.Request) view.Rules {
	rules := view.Rules{UserFirst: true}
	more := r.Field("additionalModelRequestFields")
	if m, ok := claude.Of(r.Model()); ok {
		rules.DropSigned, rules.StartSigned = m.Thinks(more.Get("thinking"))
	}
	switch {
	case r.Field("promptVariables").Kind() > rawjson.Null:
		rules.Passthrough = view.ServerState
	case more.Get("compaction").Kind() > rawjson.Null,
		claude.EditsContext(more.Get("context_management")):
		rules.Passthrough = view.Managed
	}
	return rules
}
