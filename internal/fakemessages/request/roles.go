package request

import (
	"slices"
	"strings"
)

// userTypes and systemTypes are the blocks of user and of system messages; assistantTypes are those
// that are in assistant messages alone.
var (
	userTypes = []string{TypeText, "image", "document", "search_result", TypeToolResult,
		"container_upload", TypeCompaction}
	systemTypes = []string{TypeText, "tool_addition", "tool_removal"}
)

const unexpectedSystem = "messages: Unexpected role \"system\". The Messages API accepts a " +
	"top-level `system` parameter, not \"system\" as an input message role."

// noPrefill is the refusal of a last assistant turn (vscode-unify-chat-provider#249).
const noPrefill = "This model does not support assistant message prefill. The conversation must " +
	"end with a user message."

// checkRoles checks who says what, and that all say something.
func (r *Request) checkRoles() *Error {
	last := len(r.Messages) - 1
	for i, m := range r.Messages {
		if e := r.checkRole(i, m); e != nil {
			return e
		}
		if e := checkContent(i, m, i == last && m.Role == RoleAssistant); e != nil {
			return e
		}
	}
	if first := r.Messages[0]; first.Role != RoleUser && !startsWithSummary(first) {
		return Invalid(`messages: first message must use the "user" role`)
	}
	return r.checkPrefill(r.Messages[last])
}

func (r *Request) checkRole(i int, m *Message) *Error {
	switch m.Role {
	case RoleUser, RoleAssistant:
	case RoleSystem:
		if !r.Rules.SystemMessages {
			return Invalid(unexpectedSystem)
		}
	default:
		return Invalid("messages: Unexpected role %q. Allowed roles are \"user\" or "+
			"\"assistant\"", m.Role)
	}
	for _, b := range m.Blocks {
		inUser := slices.Contains(userTypes, b.Type)
		inSystem := slices.Contains(systemTypes, b.Type)
		switch {
		case b.Type == TypeToolResult && m.Role != RoleUser:
			return Invalid("messages.%d: `tool_result` blocks can only be in `user` messages", i)
		case m.Role == RoleUser && !inUser:
			if slices.Contains(systemTypes, b.Type) {
				return Invalid("messages.%d: `%s` blocks can only be in `system` messages", i,
					b.Type)
			}
			return Invalid("messages.%d: `%s` blocks can only be in `assistant` messages", i,
				b.Type)
		case m.Role == RoleSystem && !inSystem:
			return Invalid("messages.%d: `%s` blocks cannot be in `system` messages", i, b.Type)
		case m.Role == RoleAssistant && b.Type != TypeText && b.Type != TypeCompaction &&
			(inUser || inSystem):
			return Invalid("messages.%d: `%s` blocks can only be in `user` messages", i, b.Type)
		}
	}
	return nil
}

// checkContent refuses messages without content, and text that says nothing.
func checkContent(i int, m *Message, lastAssistant bool) *Error {
	if m.Role == RoleSystem {
		if v, _ := m.fields.Get("output_config"); v != nil {
			return nil
		}
	}
	if len(m.Blocks) == 0 || len(m.Blocks) == 1 && m.Blocks[0].bare && m.Blocks[0].Text == "" {
		if lastAssistant {
			return nil
		}
		return Invalid("messages.%d: all messages must have non-empty content except for the "+
			"optional final assistant message", i)
	}
	for _, b := range m.Blocks {
		switch {
		case b.Type != TypeText:
		case b.Text == "":
			return Invalid("messages: text content blocks must be non-empty")
		case strings.TrimSpace(b.Text) == "":
			return Invalid("messages: text content blocks must contain non-whitespace text")
		}
	}
	return nil
}

// checkPrefill refuses a last assistant turn where the model does not go on from one. An unanswered
// call is refused as such, and a summary may cover one.
func (r *Request) checkPrefill(last *Message) *Error {
	if last.Role != RoleAssistant || r.Summary || lastBlockIs(last, TypeToolUse) {
		return nil
	}
	if !r.Rules.Prefill {
		if lastBlockIs(last, typeServerToolUse) ||
			len(last.Blocks) > 0 && last.Blocks[len(last.Blocks)-1].isServerResult() {
			return nil // a turn that was paused, which continues (stop_reason pause_turn)
		}
		return Invalid(noPrefill)
	}
	if n := len(last.Blocks); n > 0 && last.Blocks[n-1].Type == TypeText &&
		strings.TrimRight(last.Blocks[n-1].Text, " \t\r\n") != last.Blocks[n-1].Text {
		return Invalid("messages: final assistant content cannot end with trailing whitespace")
	}
	return nil
}

func lastBlockIs(m *Message, typ string) bool {
	n := len(m.Blocks)
	return n > 0 && m.Blocks[n-1].Type == typ
}

// startsWithSummary reports whether a message begins with a compaction block, which may be first.
func startsWithSummary(m *Message) bool {
	return len(m.Blocks) > 0 && m.Blocks[0].Type == TypeCompaction
}
