package messages

import (
	"killick/rawjson"
	"killick/view"
)

// Format is the wire format of the Messages API.
var Format view.Format = format{}

type format struct{}

// Name implements [view.Format].
func (format) Name() string { return "messages" }

// List implements [view.Format].
func (format) List() string { return "messages" }

// Spelling implements [view.Format].
func (format) Spelling() view.Spelling {
	return view.Spelling{TextPart: typeText, MarkedParts: true, JoinsTurns: true}
}

// Open implements [view.Format].
func (format) Open(*view.Message) bool { return false }

// Standing implements [view.Format].
func (format) Standing(r *view.Request) view.Standing {
	s := view.Standing{
		Tools:  []rawjson.Value{r.Field("tools")},
		Choice: r.Field("tool_choice"),
	}
	switch system := r.Field("system"); system.Kind() {
	case rawjson.String:
		s.Instructions = []rawjson.Value{system}
	case rawjson.Array:
		for block := range system.Elements() {
			if text := block.Get("text"); text.Kind() == rawjson.String {
				s.Instructions = append(s.Instructions, text)
			}
		}
	}
	return s
}

// MaxOutput implements [view.Format].
func (format) MaxOutput(r *view.Request) int {
	n, _ := r.Field("max_tokens").Int()
	return n
}
