package messages

import (
	"strings"

	"killick/rawjson"
	"killick/view"
)

func (format) Rules(r *view.Request) view.Rules {
	// Placement of instructions:
	// https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
	rules := view.Rules{UserFirst: true, InstructsModel: true}
	thinking := r.Field("thinking")
	byHand := thinking.Get("type").Is("enabled")
	binding := thinking.Get("block_binding").Get("prefix_mismatch_behavior")
	if m, ok := view.ClaudeOf(r.Model()); ok {
		checks := m.ChecksPrefixes(byHand)
		rules.DropSigned = checks && !binding.Is("drop_block")
		rules.StartSigned = byHand && !checks
		rules.Summarizes = m.Summarizes() && !countsDown(r)
	}
	switch {
	// Even where such a request begins with the whole conversation, the API goes on from what it
	// was sent: https://platform.claude.com/docs/en/build-with-claude/message-threads
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
	if given(r.Field("compaction")) || edits(r.Field("context_management")) {
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

// edits reports whether a context_management changes anything. With each request, Claude Code sends
// one that keeps all thinking, which has no effect (2.0.36 and later: issue 1468 of
// decolua/9router, 14135 of anthropics/claude-code).
func edits(management rawjson.Value) bool {
	if !given(management) {
		return false
	}
	for key, v := range management.Members() {
		if !given(v) {
			continue
		}
		if !key.Is("edits") || v.Kind() != rawjson.Array {
			return true
		}
		for edit := range v.Elements() {
			keep := edit.Get("keep")
			if !strings.HasPrefix(edit.Get("type").Text(), "clear_thinking_") ||
				!keep.Is("all") && !keep.Get("type").Is("all") {
				return true
			}
		}
	}
	return management.Kind() != rawjson.Object
}
