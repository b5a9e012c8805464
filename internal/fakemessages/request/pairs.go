package request

import (
	"slices"
	"strings"
)

// checkPairs checks that each tool_use of an assistant turn is answered at the start of the next
// user turn, once, and that nothing else is answered.
func (r *Request) checkPairs() *Error {
	turns := r.Turns()
	ids := map[string]bool{}
	for i, turn := range turns {
		for _, b := range turn.Blocks {
			if b.Type == TypeToolUse || b.Type == typeServerToolUse {
				if ids[b.ID] {
					return Invalid("%s: `tool_use` ids must be unique", b.Path)
				}
				ids[b.ID] = true
			}
		}
		var next []*Block
		if i+1 < len(turns) && turns[i+1].Role == RoleUser {
			next = turns[i+1].Blocks
		}
		if e := r.checkAnswers(turn, next, i+1 == len(turns)); e != nil {
			return e
		}
		var before []*Block
		if i > 0 && turns[i-1].Role == RoleAssistant {
			before = turns[i-1].Blocks
		}
		if e := checkResults(turn, before); e != nil {
			return e
		}
	}
	return nil
}

// checkAnswers checks that the calls of a turn are answered by the blocks that follow it.
func (r *Request) checkAnswers(turn Turn, next []*Block, last bool) *Error {
	if turn.Role != RoleAssistant {
		return nil
	}
	leading := slices.IndexFunc(next, func(b *Block) bool { return b.Type != TypeToolResult })
	if leading < 0 {
		leading = len(next)
	}
	var lacking []string
	path := ""
	for _, call := range turn.Blocks {
		if call.Type == TypeToolUse && !slices.ContainsFunc(next[:leading],
			func(b *Block) bool { return b.ToolUseID == call.ID }) {
			lacking = append(lacking, call.ID)
			path = messagePath(call)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	if last && r.Summary {
		return Invalid("%s: the last assistant turn has tool calls without results: %s. Send "+
			"their results before compacting.", path, strings.Join(lacking, ", "))
	}
	return Invalid("%s: `tool_use` ids were found without `tool_result` blocks immediately "+
		"after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the "+
		"next message.", path, strings.Join(lacking, ", "))
}

// checkResults checks that each result of a user turn answers a call of the turn before.
func checkResults(turn Turn, before []*Block) *Error {
	answered := map[string]bool{}
	for _, b := range turn.Blocks {
		if b.Type != TypeToolResult {
			continue
		}
		if !slices.ContainsFunc(before, func(call *Block) bool {
			return call.Type == TypeToolUse && call.ID == b.ToolUseID
		}) {
			return Invalid("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each "+
				"`tool_result` block must have a corresponding `tool_use` block in the previous "+
				"message.", b.Path, b.ToolUseID)
		}
		if answered[b.ToolUseID] {
			return Invalid("%s: each tool_use must have a single result. Found multiple "+
				"`tool_result` blocks with id: %s", b.Path, b.ToolUseID)
		}
		answered[b.ToolUseID] = true
	}
	return nil
}

// checkServerTools checks that tools that the API runs have their results in the same turn of the
// model, which goes on after results of the client's alone. The last turn may still run.
func (r *Request) checkServerTools() *Error {
	var open []*Block
	called := func(id string) int {
		return slices.IndexFunc(open, func(b *Block) bool { return b.ID == id })
	}
	for _, turn := range r.Turns() {
		other := func(b *Block) bool { return b.Type != TypeToolResult }
		if turn.Role == RoleUser && len(open) > 0 && slices.ContainsFunc(turn.Blocks, other) {
			b := open[0]
			return Invalid("%s: `%s` tool use with id `%s` was found without a corresponding "+
				"`%s_tool_result` block", messagePath(b), b.Name, b.ID, b.Name)
		}
		if turn.Role != RoleAssistant {
			continue
		}
		for _, b := range turn.Blocks {
			switch by := b.Fields.Object("caller").Text("tool_id"); {
			case b.Type == TypeToolUse && by != "" && called(by) < 0:
				return Invalid("%s.caller: no code that runs has the id %s", b.Path, by)
			case b.Type == typeServerToolUse:
				open = append(open, b)
			case b.isServerResult():
				at := called(b.ToolUseID)
				if at < 0 {
					return Invalid("%s: unexpected `tool_use_id` found in `%s` blocks: %s. Each "+
						"`%s` block must have a corresponding `server_tool_use` block before it.",
						b.Path, b.Type, b.ToolUseID, b.Type)
				}
				open = slices.Delete(open, at, at+1)
			}
		}
	}
	return nil
}

// checkMarksOfCode checks that calls by code, and their results, have no mark.
func (r *Request) checkMarksOfCode() *Error {
	called := map[string]bool{}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Type == TypeToolUse && b.Fields.Object("caller").Has("tool_id") {
				called[b.ID] = true
			}
			if len(b.marks) > 0 && (called[b.ID] || called[b.ToolUseID]) {
				return Invalid("%s: Tool use result for %s called by code execution cannot have "+
					"cache_control. These blocks are not rendered in Claude's context.", b.Path,
					b.ID+b.ToolUseID)
			}
		}
	}
	return nil
}

// messagePath is the path of the message that a block is in.
func messagePath(b *Block) string {
	path, _, _ := strings.Cut(b.Path, ".content.")
	return path
}
