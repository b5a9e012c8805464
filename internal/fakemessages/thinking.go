package fakemessages

import (
	"slices"
)

// thinking is the setting of the same name.
type thinking struct {
	typ     string // enabled, adaptive, disabled or between_tools; what the model does by default
	budget  int    // of enabled
	display string // "" for the model's default
	binding string // prefix_mismatch_behavior, "" if it was not set
}

// on reports whether the model thinks.
func (t thinking) on() bool { return t.typ == thinkEnabled || t.typ == thinkAdaptive }

const (
	thinkEnabled  = "enabled"
	thinkAdaptive = "adaptive"
	thinkDisabled = "disabled"
	thinkBetween  = "between_tools"

	behaviorError = "error"
	behaviorDrop  = "drop_block"
)

// minBudget is the least of budget_tokens.
const minBudget = 1024

const useAdaptive = `Use "thinking.type.adaptive" and "output_config.effort" to control thinking ` +
	`behavior.`

// readThinking reads the setting and refuses what the model does not take: the table and the texts
// of https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting.
func (r *Request) readThinking() *apiError {
	v, _ := r.fields.get("thinking")
	o, ok := v.(object)
	switch {
	case v == nil:
		r.thinking.typ = thinkDisabled
		if r.model.Default {
			r.thinking.typ = thinkAdaptive
		}
		return nil
	case !ok:
		return invalid("thinking: Input should be a valid dictionary")
	}
	r.thinking = thinking{typ: o.text("type"), display: o.text("display")}
	known := []string{"type", "display", "block_binding"}
	switch r.thinking.typ {
	case thinkEnabled:
		known = append(known, "budget_tokens")
	case thinkDisabled, thinkBetween:
		known = known[:1]
	case thinkAdaptive:
	default:
		return invalid("thinking: Input tag '%s' found using 'type' does not match any of the "+
			"expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'", r.thinking.typ)
	}
	for _, m := range o {
		if !slices.Contains(known, m.name) || m.name == "block_binding" && !r.beta(betaBinding) {
			return extra("thinking." + r.thinking.typ + "." + m.name)
		}
	}
	if e := r.checkThinkingType(o); e != nil {
		return e
	}
	return r.readBinding(o)
}

func (r *Request) checkThinkingType(o object) *apiError {
	switch typ := r.thinking.typ; {
	case typ == thinkEnabled && !r.model.Manual:
		return invalid(`"thinking.type.enabled" is not supported for this model. ` + useAdaptive)
	case typ == thinkAdaptive && !r.model.Adaptive:
		return invalid("adaptive thinking is not supported on this model")
	case typ == thinkBetween && !betweenTools(r.Model):
		return invalid(`"thinking.type.between_tools" is not supported for this model.`)
	case typ == thinkDisabled && betweenTools(r.Model):
		return invalid(`To turn thinking off on this model, send "thinking": {"type": ` +
			`"between_tools"} instead of {"type": "disabled"}. The model does not think before ` +
			`responding. The short updates it writes between tool calls come back as thinking ` +
			`blocks.`)
	case typ == thinkDisabled && r.model.Always:
		return invalid(`"thinking.type.disabled" is not supported for this model. ` + useAdaptive)
	case typ == thinkEnabled:
		return r.readBudget(o)
	}
	return nil
}

func (r *Request) readBudget(o object) *apiError {
	v, _ := o.get("budget_tokens")
	n, ok := integer(v)
	switch {
	case v == nil:
		return required("thinking.enabled.budget_tokens")
	case !ok || n < minBudget:
		return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal "+
			"to %d", minBudget)
	case !r.counting && r.MaxTokens <= n && !r.beta("interleaved-thinking-"):
		return invalid("`max_tokens` must be greater than `thinking.budget_tokens`. Please " +
			"consult our documentation at " + thinkingDocs)
	}
	r.thinking.budget = n
	return nil
}

const thinkingDocs = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"

// readBinding reads what is asked for thinking whose prefix has changed.
func (r *Request) readBinding(o object) *apiError {
	for _, m := range o.object("block_binding") {
		if m.name != "prefix_mismatch_behavior" {
			return extra("thinking." + r.thinking.typ + ".block_binding." + m.name)
		}
		switch m.value {
		case nil:
		case behaviorError, behaviorDrop:
			r.thinking.binding, _ = m.value.(string)
		default:
			return invalid("thinking.%s.block_binding.prefix_mismatch_behavior: Input should be "+
				"'error' or 'drop_block'", r.thinking.typ)
		}
	}
	return nil
}

// checkToolChoice refuses to force a tool on a model that thinks.
func (r *Request) checkToolChoice() *apiError {
	if r.forcesTool() && (r.thinking.typ == thinkEnabled || r.model.Always) {
		return invalid("Thinking may not be enabled when tool_choice forces tool use.")
	}
	return nil
}

// forcesTool reports whether tool_choice leaves no way but a call.
func (r *Request) forcesTool() bool {
	choice := r.fields.object("tool_choice").text("type")
	return choice == "any" || choice == "tool"
}

// checkManualThinking checks, where thinking is enabled by hand, that assistant turns begin with
// their thinking: each that has any, and the one whose tool loop is running.
func (r *Request) checkManualThinking() *apiError {
	if r.thinking.typ != thinkEnabled {
		return nil
	}
	if !r.beta("interleaved-thinking-") {
		for _, turn := range r.Turns() {
			i := slices.IndexFunc(turn.Blocks, (*Block).isThinking)
			if turn.Role == roleAssistant && i > 0 {
				return invalid("%s: If an assistant message contains any thinking blocks, the "+
					"first block must be `thinking` or `redacted_thinking`. Found `%s`.",
					turn.Blocks[0].path, turn.Blocks[0].Type)
			}
		}
	}
	first := r.runningTurn()
	if first == nil || first.isThinking() {
		return nil
	}
	//nolint:misspell // the spelling is Anthropic's
	return invalid("%s.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When "+
		"`thinking` is enabled, a final `assistant` message must start with a thinking block "+
		"(preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you "+
		"include thinking blocks from previous turns. To avoid this requirement, disable "+
		"`thinking`. Please consult our documentation at %s", first.path, first.Type,
		thinkingDocs)
}

// runningTurn returns the first block of the model after the last user message that is not a tool
// result, nil if no tool loop is running.
func (r *Request) runningTurn() *Block {
	turns := r.Turns()
	var first *Block
	for i := len(turns) - 1; i >= 0; i-- {
		switch turn := turns[i]; {
		case turn.Role == roleAssistant && len(turn.Blocks) > 0:
			first = turn.Blocks[0]
		case turn.Role == roleUser && !isLoop(turn):
			return first
		}
	}
	return first
}

// isLoop reports whether a user turn carries results alone or starts with them, so that the
// assistant's turn continues.
func isLoop(turn Turn) bool {
	return len(turn.Blocks) > 0 && turn.Blocks[0].Type == typeToolResult
}
