package fakemessages

import (
	"slices"
	"strings"
)

// checkPairs checks that each tool_use of an assistant turn is answered at the start of the next
// user turn, once, and that nothing else is answered.
func (r *Request) checkPairs() *apiError {
	turns := r.Turns()
	ids := map[string]bool{}
	for i, turn := range turns {
		for _, b := range turn.Blocks {
			if b.Type == typeToolUse || b.Type == typeServerToolUse {
				if ids[b.ID] {
					return invalid("%s: `tool_use` ids must be unique", b.path)
				}
				ids[b.ID] = true
			}
		}
		var next []*Block
		if i+1 < len(turns) && turns[i+1].Role == roleUser {
			next = turns[i+1].Blocks
		}
		if e := r.checkAnswers(turn, next, i+1 == len(turns)); e != nil {
			return e
		}
		var before []*Block
		if i > 0 && turns[i-1].Role == roleAssistant {
			before = turns[i-1].Blocks
		}
		if e := checkResults(turn, before); e != nil {
			return e
		}
	}
	return nil
}

// checkAnswers checks that the calls of a turn are answered by the blocks that follow it.
func (r *Request) checkAnswers(turn Turn, next []*Block, last bool) *apiError {
	if turn.Role != roleAssistant {
		return nil
	}
	leading := slices.IndexFunc(next, func(b *Block) bool { return b.Type != typeToolResult })
	if leading < 0 {
		leading = len(next)
	}
	var lacking []string
	path := ""
	for _, call := range turn.Blocks {
		if call.Type == typeToolUse && !slices.ContainsFunc(next[:leading],
			func(b *Block) bool { return b.ToolUseID == call.ID }) {
			lacking = append(lacking, call.ID)
			path = messagePath(call)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	if last && r.summary {
		return invalid("%s: the last assistant turn has tool calls without results: %s. Send "+
			"their results before compacting.", path, strings.Join(lacking, ", "))
	}
	return invalid("%s: `tool_use` ids were found without `tool_result` blocks immediately "+
		"after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the "+
		"next message.", path, strings.Join(lacking, ", "))
}

// checkResults checks that each result of a user turn answers a call of the turn before.
func checkResults(turn Turn, before []*Block) *apiError {
	answered := map[string]bool{}
	for _, b := range turn.Blocks {
		if b.Type != typeToolResult {
			continue
		}
		if !slices.ContainsFunc(before, func(call *Block) bool {
			return call.Type == typeToolUse && call.ID == b.ToolUseID
		}) {
			return invalid("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each "+
				"`tool_result` block must have a corresponding `tool_use` block in the previous "+
				"message.", b.path, b.ToolUseID)
		}
		if answered[b.ToolUseID] {
			return invalid("%s: each tool_use must have a single result. Found multiple "+
				"`tool_result` blocks with id: %s", b.path, b.ToolUseID)
		}
		answered[b.ToolUseID] = true
	}
	return nil
}

// checkServerTools checks that tools that the API runs have their results in the same turn of the
// model, which goes on after results of the client's alone. The last turn may still run.
func (r *Request) checkServerTools() *apiError {
	var open []*Block
	called := func(id string) int {
		return slices.IndexFunc(open, func(b *Block) bool { return b.ID == id })
	}
	for _, turn := range r.Turns() {
		other := func(b *Block) bool { return b.Type != typeToolResult }
		if turn.Role == roleUser && len(open) > 0 && slices.ContainsFunc(turn.Blocks, other) {
			b := open[0]
			return invalid("%s: `%s` tool use with id `%s` was found without a corresponding "+
				"`%s_tool_result` block", messagePath(b), b.Name, b.ID, b.Name)
		}
		if turn.Role != roleAssistant {
			continue
		}
		for _, b := range turn.Blocks {
			switch by := b.fields.object("caller").text("tool_id"); {
			case b.Type == typeToolUse && by != "" && called(by) < 0:
				return invalid("%s.caller: no code that runs has the id %s", b.path, by)
			case b.Type == typeServerToolUse:
				open = append(open, b)
			case b.isServerResult():
				at := called(b.ToolUseID)
				if at < 0 {
					return invalid("%s: unexpected `tool_use_id` found in `%s` blocks: %s. Each "+
						"`%s` block must have a corresponding `server_tool_use` block before it.",
						b.path, b.Type, b.ToolUseID, b.Type)
				}
				open = slices.Delete(open, at, at+1)
			}
		}
	}
	return nil
}

// checkMarksOfCode checks that calls by code, and their results, have no mark.
func (r *Request) checkMarksOfCode() *apiError {
	called := map[string]bool{}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Type == typeToolUse && b.fields.object("caller").has("tool_id") {
				called[b.ID] = true
			}
			if len(b.marks) > 0 && (called[b.ID] || called[b.ToolUseID]) {
				return invalid("%s: Tool use result for %s called by code execution cannot have "+
					"cache_control. These blocks are not rendered in Claude's context.", b.path,
					b.ID+b.ToolUseID)
			}
		}
	}
	return nil
}

// messagePath is the path of the message that a block is in.
func messagePath(b *Block) string {
	path, _, _ := strings.Cut(b.path, ".content.")
	return path
}
