package messages

import (
	"iter"

	"killick/rawjson"
	"killick/view"
)

// kind is how blocks of a type must be treated when a conversation is edited.
type kind uint8

const (
	unknown kind = iota
	plain
	call   // a result in the next user message answers it
	result // the result of a call
	signed // its signature covers the messages before it
	fixed  // it changes the set of tools, or refers to data that the API keeps

	hosted    // a call that the API runs
	hostedEnd // the result of one
	found     // likewise, and fixed

	manyKinds
)

const (
	typeText       = "text"
	typeToolUse    = "tool_use"
	typeCompaction = "compaction"
)

// kinds are the types of blocks. Source: anthropic-sdk-go v1.84.0, BetaContentBlockParamUnion and
// the content of a tool_result. Which of them are fixed is our judgement.
var kinds = map[string]kind{
	typeText:            plain,
	"image":             plain,
	"document":          plain,
	"search_result":     plain,
	"thinking":          signed,
	"redacted_thinking": signed,
	typeToolUse:         call,
	"tool_result":       result,

	// Tools that the API runs: call and result are blocks of the same assistant turn. If it was
	// paused, or beside calls of the client's tools, a later message of the turn has the result
	// (anthropics/anthropic-sdk-typescript#1090).
	"server_tool_use":                        hosted,
	"web_search_tool_result":                 hostedEnd,
	"web_fetch_tool_result":                  hostedEnd,
	"code_execution_tool_result":             hostedEnd,
	"bash_code_execution_tool_result":        hostedEnd,
	"text_editor_code_execution_tool_result": hostedEnd,
	"mcp_tool_use":                           hosted,
	"mcp_tool_result":                        hostedEnd,
	"advisor_tool_result":                    hostedEnd,

	// The boundary between the answers of two models. Models do not see it.
	"fallback": plain,

	// The model may call a deferred tool from here on.
	"tool_search_tool_result": found,
	"tool_reference":          fixed,
	"tool_addition":           fixed,
	"tool_removal":            fixed,
	"mcp_tool_listing":        fixed,
	// A file in the container of the API's code execution.
	"container_upload": fixed,
	// A summary that the API wrote in place of earlier turns.
	typeCompaction: fixed,
}

// kindOf returns the kind of a block by its type, a JSON string.
func kindOf(typ rawjson.Value) kind { return kinds[string(typ.TextBytes())] }

// blocks yields the blocks of a message, none if its content is not an array.
func blocks(m *view.Message) iter.Seq[rawjson.Value] {
	return func(yield func(rawjson.Value) bool) {
		for at := range spans(m) {
			if !yield(at.Of(m.Raw)) {
				return
			}
		}
	}
}

// spans yields the ranges of the blocks of a message in Raw.
func spans(m *view.Message) iter.Seq[rawjson.Span] {
	run := m.Is(view.Several)
	return view.Blocks(m, run, func(b []byte, at int) (rawjson.Span, int, error) {
		end, err := rawjson.Skip(b, at)
		return rawjson.SpanOf(at, end), end, err
	})
}
