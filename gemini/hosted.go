package gemini

import (
	"killick/rawjson"
	"killick/view"
)

// Cited implements [view.Format]: what a reply cites is beside its content, which clients do not
// send back.
func (format) Cited(*view.Message) []view.Source { return nil }

// HostedCalls implements [view.Format]. Where code has no id, its result follows it. Source:
// js-genai v1.30, types.ts, ExecutableCode, CodeExecutionResult, ToolCall and ToolResponse.
func (format) HostedCalls(m *view.Message) []view.HostedCall {
	var list view.HostedList
	for p := range parts(m) {
		if p.kind != own {
			continue
		}
		raw := rawjson.Value(m.Raw[p.start:p.end])
		if code := get(raw, "executableCode", "executable_code"); code != nil {
			list.Add(view.HostedCall{ID: code.Get("id").Text(),
				Name: "code_execution", Runs: true, Arguments: code.Without("id")})
		} else if made := get(raw, "toolCall", "tool_call"); made != nil {
			list.Add(view.HostedCall{ID: made.Get("id").Text(),
				Name: get(made, "toolType", "tool_type").Text(), Arguments: made.Get("args")})
		} else if ran := get(raw, "codeExecutionResult", "code_execution_result"); ran != nil {
			outcome := ran.Get("outcome")
			list.Answer(ran.Get("id").Text(), view.HostedResult{
				Text:   ran.Get("output").Text(),
				Failed: outcome != nil && !outcome.Is("OUTCOME_OK"), Exit: -1,
			})
		} else if answer := get(raw, "toolResponse", "tool_response"); answer != nil {
			list.Answer(answer.Get("id").Text(), view.HostedResult{
				Text: string(answer.Get("response")), Exit: -1,
			})
		}
	}
	return list.Calls
}
