package messages

import (
	"killick/rawjson"
	"killick/view"
	"killick/view/claude"
)

func (format) Rules(r *view.Request) view.Rules {
	// Placement of instructions:
	// https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
	rules := view.Rules{UserFirst: true, InstructsModel: true}
	if m, ok := claude.Of(r.Model()); ok {
		rules.DropSigned, rules.StartSigned = m.Thinks(r.Field("thinking"))
		rules.Summarizes = m.Summarizes() && !countsDown(r)
	}
	switch {
	// Even if such a request begins with the whole conversation, the API continues from what it was
	// sent: https://platform.claude.com/docs/en/build-with-claude/message-threads
	case given(r.Field("thread")):
		rules.Passthrough = view.ServerState
	case managed(r):
		rules.Passthrough = view.Managed
	}
	return rules
}

// managed reports whether the API edits or summarizes the conversation itself. Source:
// anthropic-sdk-go v1.84.0, BetaMessageNewParams and BetaContextManagementConfigParam.
func managed(r *view.Request) bool {
	if given(r.Field("compaction")) || claude.EditsContext(r.Field("context_management")) {
		return true
	}
	msgs := r.Messages()
	for i := range msgs {
		if msgs[i].Is(view.Fixed) && compacted(&msgs[i]) {
			return true
		}
	}
	return false
}

// countsDown reports whether a request states the remainder of a task budget, which the API refuses
// together with a summary (…/compaction-on-demand, limits).
func countsDown(r *view.Request) bool {
	return given(r.Field("output_config").Get("task_budget").Get("remaining"))
}

func given(v rawjson.Value) bool { return v.Kind() > rawjson.Null }

// compacted reports whether a message has a summary that the API wrote in place of earlier turns.
func compacted(m *view.Message) bool {
	for block := range blocks(m) {
		if block.Get("type").Is(typeCompaction) {
			return true
		}
	}
	return false
}
