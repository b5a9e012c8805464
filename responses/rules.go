package responses

import (
	"killick/rawjson"
	"killick/view"
)

func (format) Spelling() view.Spelling {
	return view.Spelling{TextPart: "input_text", MarkedParts: true, JoinsTurns: true}
}

// Mark implements [view.Format]: marks stay where the client set them.
func (format) Mark(_ *view.Request, pieces []view.Piece) []view.Piece { return pieces }

func (format) Rules(r *view.Request) view.Rules {
	for _, name := range []string{"previous_response_id", "conversation"} {
		if kind := r.Field(name).Kind(); kind == rawjson.String || kind == rawjson.Object {
			return view.Rules{Passthrough: view.ServerState}
		}
	}
	rules := view.Rules{LateResults: true} // of a program: after all turns with calls of its own
	for range r.Field("context_management").Elements() {
		rules.Passthrough = view.Managed
	}
	messages := r.Messages()
	for i := range messages {
		rules.Held = rules.Held || messages[i].Is(view.Held)
		if !messages[i].Is(view.Fixed) {
			continue
		}
		for it := range items(messages[i].Raw) {
			if it.typ == "compaction" || it.typ == "compaction_trigger" {
				rules.Passthrough = view.Managed
			}
		}
	}
	return rules
}

func (format) Preamble(r *view.Request) view.Preamble {
	s := view.Preamble{
		Tools:  []rawjson.Value{r.Field("tools")},
		Choice: r.Field("tool_choice"),
	}
	if instructions := r.Field("instructions"); len(instructions.StringBody()) > 0 {
		s.Instructions = []rawjson.Value{instructions}
	}
	if schema := r.Field("text").Get("format"); schema.Get("type").Is("json_schema") {
		s.Schema = schema
	}
	return s
}

func (format) Limits(r *view.Request) (l view.Limits) {
	l.Output, _ = r.Field("max_output_tokens").Int()
	return l
}
