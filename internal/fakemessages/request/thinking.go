package request

import (
	"slices"

	"killick/internal/fakemessages/claude"
	"killick/internal/fakemessages/jsontree"
)

// minBudget is the least of budget_tokens.
const minBudget = 1024

const useAdaptive = `Use "thinking.type.adaptive" and "output_config.effort" to control thinking ` +
	`behavior.`

// readThinking reads the setting and refuses what the model does not take: the table and the texts
// of https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting.
func (r *Request) readThinking() *Error {
	v, _ := r.Fields.Get("thinking")
	o, ok := v.(jsontree.Object)
	switch {
	case v == nil:
		r.Thinking.Typ = thinkDisabled
		if r.Rules.Default {
			r.Thinking.Typ = thinkAdaptive
		}
		return nil
	case !ok:
		return Invalid("thinking: Input should be a valid dictionary")
	}
	r.Thinking = Thinking{Typ: o.Text("type"), display: o.Text("display")}
	known := []string{"type", "display", "block_binding"}
	switch r.Thinking.Typ {
	case thinkEnabled:
		known = append(known, "budget_tokens")
	case thinkDisabled, thinkBetween:
		known = known[:1]
	case thinkAdaptive:
	default:
		return Invalid("thinking: Input tag '%s' found using 'type' does not match any of the "+
			"expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'", r.Thinking.Typ)
	}
	for _, m := range o {
		if !slices.Contains(known, m.Name) || m.Name == "block_binding" && !r.Beta(BetaBinding) {
			return extra("thinking." + r.Thinking.Typ + "." + m.Name)
		}
	}
	if e := r.checkThinkingType(o); e != nil {
		return e
	}
	return r.readBinding(o)
}

func (r *Request) checkThinkingType(o jsontree.Object) *Error {
	switch typ := r.Thinking.Typ; {
	case typ == thinkEnabled && !r.Rules.Manual:
		return Invalid(`"thinking.type.enabled" is not supported for this model. ` + useAdaptive)
	case typ == thinkAdaptive && !r.Rules.Adaptive:
		return Invalid("adaptive thinking is not supported on this model")
	case typ == thinkBetween && !claude.BetweenTools(r.Model):
		return Invalid(`"thinking.type.between_tools" is not supported for this model.`)
	case typ == thinkDisabled && claude.BetweenTools(r.Model):
		return Invalid(`To turn thinking off on this model, send "thinking": {"type": ` +
			`"between_tools"} instead of {"type": "disabled"}. The model does not think before ` +
			`responding. The short updates it writes between tool calls come back as thinking ` +
			`blocks.`)
	case typ == thinkDisabled && r.Rules.Always:
		return Invalid(`"thinking.type.disabled" is not supported for this model. ` + useAdaptive)
	case typ == thinkEnabled:
		return r.readBudget(o)
	}
	return nil
}

func (r *Request) readBudget(o jsontree.Object) *Error {
	v, _ := o.Get("budget_tokens")
	n, ok := integer(v)
	switch {
	case v == nil:
		return required("thinking.enabled.budget_tokens")
	case !ok || n < minBudget:
		return Invalid("thinking.enabled.budget_tokens: Input should be greater than or equal "+
			"to %d", minBudget)
	case !r.counting && r.MaxTokens <= n && !r.Beta("interleaved-thinking-"):
		return Invalid("`max_tokens` must be greater than `thinking.budget_tokens`. Please " +
			"consult our documentation at " + thinkingDocs)
	}
	r.Thinking.Budget = n
	return nil
}

const thinkingDocs = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"

// readBinding reads what is asked for thinking whose prefix has changed.
func (r *Request) readBinding(o jsontree.Object) *Error {
	for _, m := range o.Object("block_binding") {
		if m.Name != "prefix_mismatch_behavior" {
			return extra("thinking." + r.Thinking.Typ + ".block_binding." + m.Name)
		}
		switch m.Value {
		case nil:
		case behaviorError, BehaviorDrop:
			r.Thinking.Binding, _ = m.Value.(string)
		default:
			return Invalid("thinking.%s.block_binding.prefix_mismatch_behavior: Input should be "+
				"'error' or 'drop_block'", r.Thinking.Typ)
		}
	}
	return nil
}

// checkToolChoice refuses to force a tool on a model that thinks.
func (r *Request) checkToolChoice() *Error {
	if r.forcesTool() && (r.Thinking.Typ == thinkEnabled || r.Rules.Always) {
		return Invalid("Thinking may not be enabled when tool_choice forces tool use.")
	}
	return nil
}

// forcesTool reports whether tool_choice leaves no way but a call.
func (r *Request) forcesTool() bool {
	choice := r.Fields.Object("tool_choice").Text("type")
	return choice == "any" || choice == "tool"
}

// checkManualThinking checks, where thinking is enabled by hand, that assistant turns begin with
// their thinking: each that has any, and the one whose tool loop is running.
func (r *Request) checkManualThinking() *Error {
	if r.Thinking.Typ != thinkEnabled {
		return nil
	}
	if !r.Beta("interleaved-thinking-") {
		for _, turn := range r.Turns() {
			i := slices.IndexFunc(turn.Blocks, (*Block).IsThinking)
			if turn.Role == RoleAssistant && i > 0 {
				return Invalid("%s: If an assistant message contains any thinking blocks, the "+
					"first block must be `thinking` or `redacted_thinking`. Found `%s`.",
					turn.Blocks[0].Path, turn.Blocks[0].Type)
			}
		}
	}
	first := r.runningTurn()
	if first == nil || first.IsThinking() {
		return nil
	}
	//nolint:misspell // the spelling is Anthropic's
	return Invalid("%s.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When "+
		"`thinking` is enabled, a final `assistant` message must start with a thinking block "+
		"(preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you "+
		"include thinking blocks from previous turns. To avoid this requirement, disable "+
		"`thinking`. Please consult our documentation at %s", first.Path, first.Type,
		thinkingDocs)
}

// runningTurn returns the first block of the model after the last user message that is not a tool
// result, nil if no tool loop is running.
func (r *Request) runningTurn() *Block {
	turns := r.Turns()
	var first *Block
	for i := len(turns) - 1; i >= 0; i-- {
		switch turn := turns[i]; {
		case turn.Role == RoleAssistant && len(turn.Blocks) > 0:
			first = turn.Blocks[0]
		case turn.Role == RoleUser && !IsLoop(turn):
			return first
		}
	}
	return first
}

// IsLoop reports whether a user turn carries results alone or starts with them, so that the
// assistant's turn continues.
func IsLoop(turn Turn) bool {
	return len(turn.Blocks) > 0 && turn.Blocks[0].Type == TypeToolResult
}

// Thinks reports whether the model begins its reply with thinking: between calls, older models do
// so under a beta alone.
func (r *Request) Thinks() bool {
	if !r.Thinking.on() || r.forcesTool() {
		return false
	}
	turns := r.Turns()
	return r.Thinking.Typ == thinkAdaptive || !IsLoop(turns[len(turns)-1]) ||
		r.Beta("interleaved-thinking-")
}

// OmitsThinking reports whether thinking is answered without its text.
func (r *Request) OmitsThinking() bool {
	if r.Thinking.display != "" {
		return r.Thinking.display == "omitted"
	}
	return r.Rules.OmitsThinking
}
