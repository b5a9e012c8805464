package fakemessages

import (
	"killick/internal/fakemessages/jsontree"
	"killick/internal/fakemessages/request"
)

func (s *Server) layout(r *Request, credential string) *layout {
	l := &layout{at: map[*request.Block]int{}}
	var buffer []byte
	speed := r.Fields.Text("speed")
	key := jsontree.Chained([32]byte{}, []byte(credential+"\x00"+r.Model+"\x00"+speed))
	tokens, position, run := tokensOfPrompt, 0, ""
	add := func(b *request.Block) {
		buffer = jsontree.AppendCanonical(buffer[:0], b.Fields, false)
		key = jsontree.Chained(key, buffer)
		tokens += s.blockTokens(b)
		// A run of calls counts as one place, and so does one of results (as above; on the
		// Claude API alone).
		joins := b.Type == run && !s.cfg.CountsEveryBlock &&
			(b.Type == request.TypeToolUse || b.Type == request.TypeToolResult)
		if !joins {
			position++
		}
		run = b.Type
		l.at[b] = len(l.places)
		l.places = append(l.places, place{key, tokens, position})
	}
	for _, b := range r.Tools {
		add(b)
	}
	for _, b := range r.System {
		add(b)
	}
	key = jsontree.Chained(key, messagesKey(r))
	seen := seenThinking(r)
	for _, turn := range r.Turns() {
		settings := jsontree.AppendCanonical([]byte(turn.Role), turn.Settings, false)
		key = jsontree.Chained(key, settings)
		run = ""
		for _, b := range turn.Blocks {
			if !b.Dropped && (!b.IsThinking() || seen[b]) {
				add(b)
			}
		}
	}
	return l
}

// messagesKey is what a change of invalidates the messages alone: tool_choice, settings of
// thinking, and whether there are images.
func messagesKey(r *Request) []byte {
	choice, _ := r.Fields.Get("tool_choice")
	effort := r.Fields.Object("output_config").Text("effort")
	b := jsontree.AppendCanonical(nil, choice, true)
	b = jsontree.AppendCanonical(b, r.Thinking.Typ+"\x00"+effort, true)
	b = jsontree.AppendLength(b, r.Thinking.Budget)
	for _, m := range r.Messages {
		for _, block := range m.Blocks {
			if block.Type == "image" || hasImage(block.Fields) {
				return append(b, 1)
			}
		}
	}
	return append(b, 0)
}

func hasImage(fields jsontree.Object) bool {
	content, _ := fields.Get("content")
	list, _ := content.([]any)
	for _, v := range list {
		if o, ok := v.(jsontree.Object); ok && o.Text("type") == "image" {
			return true
		}
	}
	return false
}

// seenThinking returns the thinking blocks that the model sees: all, or with older models those
// since the user's last message of their own
// (https://platform.claude.com/docs/en/build-with-claude/thinking).
func seenThinking(r *Request) map[*request.Block]bool {
	seen := map[*request.Block]bool{}
	turns := r.Turns()
	for i := len(turns) - 1; i >= 0; i-- {
		own := turns[i].Role == request.RoleUser && !request.IsLoop(turns[i])
		if own && r.Rules.StripsThinking {
			break
		}
		for _, b := range turns[i].Blocks {
			seen[b] = true
		}
	}
	return seen
}
