package messages

import (
	"bytes"

	"killick/rawjson"
	"killick/view"
)

// Format is the wire format of the Messages API.
var Format view.Format = format{}

// format implements [view.Format], which says what its methods do.
type format struct{}

func (format) Name() string   { return "messages" }
func (format) Within() string { return "" }
func (format) List() string   { return "messages" }

func (format) Spelling() view.Spelling {
	return view.Spelling{TextPart: typeText, MarkedParts: true, JoinsTurns: true}
}

func (format) Open(*view.Message) bool { return false }

// billingLine is the beginning of the block of the system prompt with which Claude Code attributes
// requests. The block differs in each request, and Anthropic's cache ignores it
// (anthropics/claude-code#68900).
var billingLine = []byte(`"x-anthropic-billing-header:`)

func (format) Preamble(r *view.Request) view.Preamble {
	s := view.Preamble{
		Tools:  []rawjson.Value{r.Field("tools")},
		Choice: r.Field("tool_choice"),
	}
	switch system := r.Field("system"); system.Kind() {
	case rawjson.String:
		s.Instructions = []rawjson.Value{system}
	case rawjson.Array:
		for block := range system.Elements() {
			switch text := block.Get("text"); {
			case text.Kind() != rawjson.String:
			case bytes.HasPrefix(text, billingLine):
				s.Uncached = append(s.Uncached, text)
			default:
				s.Instructions = append(s.Instructions, text)
			}
		}
	}
	return s
}

func (format) Limits(r *view.Request) (l view.Limits) {
	l.Output, _ = r.Field("max_tokens").Int()
	return l
}
