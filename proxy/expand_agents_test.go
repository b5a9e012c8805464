//go:build !race

// Left out under the race detector: compiling the SDKs for it takes minutes. internal/e2e expands
// under it.

package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	official "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"killick/internal/fakemessages"
	"killick/internal/fakeresponses"
	"killick/internal/fakeserver"
	"killick/internal/fakeupstream"
	"killick/view"
)

// bodiesOf are the bodies of requests, and what was answered to those that were refused.
func bodiesOf(recorded []fakeserver.Recorded) (bodies [][]byte, refused []string) {
	for _, r := range recorded {
		bodies = append(bodies, r.Body)
		if r.Status != 200 && r.Status != 0 { // 0: not at its end yet
			refused = append(refused, fmt.Sprintf("%d to %s", r.Status, r.Body))
		}
	}
	return bodies, refused
}

// withRecords fills in what an upstream has recorded.
func (u expandUpstream) withRecords(list func() []fakeserver.Recorded) expandUpstream {
	u.requests = func() [][]byte { bodies, _ := bodiesOf(list()); return bodies }
	u.refusals = func() []string { _, refused := bodiesOf(list()); return refused }
	return u
}

func chatExpand(t *testing.T, script *modelScript) expandUpstream {
	up := fakeupstream.New(fakeupstream.Config{Record: true, Fault: script.fault,
		Reply: func(*view.Request) fakeupstream.Reply {
			m := script.next()
			made := fakeupstream.Reply{Content: m.text, Reasoning: "Hm.", Status: m.status}
			if m.cut {
				made.FinishReason = "length"
			}
			for _, c := range m.calls {
				made.ToolCalls = append(made.ToolCalls, fakeupstream.ToolCall{Name: c.name,
					Arguments: c.arguments})
			}
			return made
		}})
	t.Cleanup(up.Close)
	return expandUpstream{url: up.URL(), agent: newChatAgent, usages: func() (list []int) {
		for _, r := range up.Requests() {
			list = append(list, r.Usage.PromptTokens)
		}
		return list
	}}.withRecords(
		func() (list []fakeserver.Recorded) {
			for _, r := range up.Requests() {
				list = append(list, r.Recorded)
			}
			return list
		})
}

type chatAgent struct {
	client official.Client
	params official.ChatCompletionNewParams
	usage  int64
}

func newChatAgent(url string) agent {
	return &chatAgent{
		client: official.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("sk-one"),
			option.WithMaxRetries(0)),
		params: official.ChatCompletionNewParams{Model: "gpt-4o",
			Messages: []official.ChatCompletionMessageParamUnion{official.UserMessage("go on")},
			Tools: []official.ChatCompletionToolUnionParam{official.ChatCompletionFunctionTool(
				official.FunctionDefinitionParam{Name: "read", Parameters: map[string]any{
					"type": "object"}})},
			StreamOptions: official.ChatCompletionStreamOptionsParam{
				IncludeUsage: official.Bool(true)},
		},
	}
}

func (a *chatAgent) next(ctx context.Context, stream bool) (string, []agentCall, error) {
	var completion *official.ChatCompletion
	if stream {
		events := a.client.Chat.Completions.NewStreaming(ctx, a.params)
		defer events.Close()
		var whole official.ChatCompletionAccumulator
		for events.Next() {
			if !whole.AddChunk(events.Current()) {
				return "", nil, fmt.Errorf("a chunk of another completion: %s",
					events.Current().RawJSON())
			}
		}
		if err := events.Err(); err != nil {
			return "", nil, err
		}
		completion = &whole.ChatCompletion
	} else {
		params := a.params
		params.StreamOptions = official.ChatCompletionStreamOptionsParam{}
		var err error
		if completion, err = a.client.Chat.Completions.New(ctx, params); err != nil {
			return "", nil, err
		}
	}
	choice := completion.Choices[0]
	if (choice.FinishReason == "tool_calls") != (len(choice.Message.ToolCalls) > 0) ||
		completion.Usage.TotalTokens == 0 || choice.Message.Role != "assistant" {
		return "", nil, fmt.Errorf("a turn that ends with %q, of %q, has %d calls",
			choice.FinishReason, choice.Message.Role, len(choice.Message.ToolCalls))
	}
	a.usage = completion.Usage.PromptTokens
	a.params.Messages = append(a.params.Messages, choice.Message.ToParam())
	var calls []agentCall
	for _, c := range choice.Message.ToolCalls {
		calls = append(calls, agentCall{c.ID, c.Function.Name})
	}
	return choice.Message.Content, calls, nil
}

func (a *chatAgent) prompt() int { return int(a.usage) }

func (a *chatAgent) result(id, text string) {
	a.params.Messages = append(a.params.Messages, official.ToolMessage(text, id))
}

func messagesExpand(
	t *testing.T, script *modelScript, model string,
	thinking anthropic.ThinkingConfigParamUnion,
) expandUpstream {
	up := fakemessages.New(fakemessages.Config{Record: true, Fault: script.fault,
		Reply: func(*fakemessages.Request) fakemessages.Reply {
			m := script.next()
			made := fakemessages.Reply{Status: m.status}
			if m.cut {
				made.StopReason = "max_tokens"
			}
			if m.text != "" {
				made.Blocks = append(made.Blocks, fakemessages.Text(m.text))
			}
			for _, c := range m.calls {
				made.Blocks = append(made.Blocks, fakemessages.Call("", c.name, c.arguments))
			}
			return made
		}})
	t.Cleanup(up.Close)
	return expandUpstream{url: up.URL(),
		usages: func() (list []int) {
			for _, r := range up.Requests() {
				list = append(list, r.Usage.Prompt())
			}
			return list
		},
		agent: func(url string) agent { return newMessagesAgent(url, model, thinking) },
	}.withRecords(func() (list []fakeserver.Recorded) {
		for _, r := range up.Requests() {
			list = append(list, r.Recorded)
		}
		return list
	})
}

type messagesAgent struct {
	client anthropic.Client
	params anthropic.MessageNewParams
	open   bool // the last message holds results, and may get more
	usage  int64
}

func newMessagesAgent(
	url, model string, thinking anthropic.ThinkingConfigParamUnion,
) agent {
	return &messagesAgent{
		client: anthropic.NewClient(anthropicoption.WithBaseURL(url),
			anthropicoption.WithAPIKey("sk-one"), anthropicoption.WithMaxRetries(0)),
		params: anthropic.MessageNewParams{Model: model, MaxTokens: 4096,
			Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "read",
				InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{}}}}},
			Messages: []anthropic.MessageParam{anthropic.NewUserMessage(
				anthropic.NewTextBlock("go on"))},
			Thinking: thinking,
		},
	}
}

func (a *messagesAgent) next(ctx context.Context, stream bool) (string, []agentCall, error) {
	var m *anthropic.Message
	if stream {
		events := a.client.Messages.NewStreaming(ctx, a.params)
		defer events.Close()
		m = new(anthropic.Message)
		for events.Next() {
			if err := m.Accumulate(events.Current()); err != nil {
				return "", nil, err
			}
		}
		if err := events.Err(); err != nil {
			return "", nil, err
		}
	} else {
		var err error
		if m, err = a.client.Messages.New(ctx, a.params); err != nil {
			return "", nil, err
		}
	}
	text := ""
	var calls []agentCall
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			text += b.Text
		case "tool_use":
			calls = append(calls, agentCall{b.ID, b.Name})
		}
	}
	if (m.StopReason == anthropic.StopReasonToolUse) != (len(calls) > 0) || m.Role != "assistant" ||
		m.Usage.OutputTokens == 0 {
		return "", nil, fmt.Errorf("a turn of %q that ends with %q has %d calls", m.Role,
			m.StopReason, len(calls))
	}
	a.params.Messages = append(a.params.Messages, m.ToParam())
	a.open = false
	a.usage = m.Usage.InputTokens + m.Usage.CacheReadInputTokens +
		m.Usage.CacheCreationInputTokens
	return text, calls, nil
}

func (a *messagesAgent) prompt() int { return int(a.usage) }

func (a *messagesAgent) result(id, text string) {
	block := anthropic.NewToolResultBlock(id, text, false)
	if last := &a.params.Messages[len(a.params.Messages)-1]; a.open {
		last.Content = append(last.Content, block)
		return
	}
	a.params.Messages, a.open = append(a.params.Messages, anthropic.NewUserMessage(block)), true
}

func responsesExpand(t *testing.T, script *modelScript) expandUpstream {
	up := fakeresponses.New(fakeresponses.Config{Record: true, RequirePhase: true,
		Fault: script.fault,
		Reply: func(*fakeresponses.Request) fakeresponses.Reply {
			m := script.next()
			made := fakeresponses.Reply{Content: m.text, Summary: "Two tools may know of it.",
				Status: m.status}
			if m.cut {
				made.Incomplete = "max_output_tokens"
			}
			for _, c := range m.calls {
				made.Calls = append(made.Calls, fakeresponses.Call{Name: c.name,
					Input: c.arguments})
			}
			return made
		}})
	t.Cleanup(up.Close)
	return expandUpstream{url: up.URL(), agent: newResponsesAgent, usages: func() (list []int) {
		for _, r := range up.Requests() {
			list = append(list, r.Findings.Usage.Input)
		}
		return list
	}}.withRecords(
		func() (list []fakeserver.Recorded) {
			for _, r := range up.Requests() {
				list = append(list, r.Recorded)
				if r.MovedReasoning > 0 {
					list[len(list)-1].Status = 400 // OpenAI cannot see it, and would refuse it
				}
			}
			return list
		})
}

type responsesAgent struct {
	client official.Client
	params responses.ResponseNewParams
	usage  int64
}

func newResponsesAgent(url string) agent {
	return &responsesAgent{
		client: official.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("sk-one"),
			option.WithMaxRetries(0)),
		params: responses.ResponseNewParams{Model: "gpt-6.1", Store: param.NewOpt(false),
			Input: responses.ResponseNewParamsInputUnion{
				OfInputItemList: []responses.ResponseInputItemUnionParam{
					responses.ResponseInputItemParamOfMessage("go on",
						responses.EasyInputMessageRoleUser)}},
			Tools: []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{
				Name: "read", Parameters: map[string]any{"type": "object"}}}},
		},
	}
}

func (a *responsesAgent) next(ctx context.Context, stream bool) (string, []agentCall, error) {
	var r *responses.Response
	if stream {
		var err error
		if r, err = a.streamed(ctx); err != nil {
			return "", nil, err
		}
	} else {
		var err error
		if r, err = a.client.Responses.New(ctx, a.params); err != nil {
			return "", nil, err
		}
	}
	var calls []agentCall
	for _, item := range r.Output {
		a.params.Input.OfInputItemList = append(a.params.Input.OfInputItemList,
			param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
		if item.Type == "function_call" {
			calls = append(calls, agentCall{item.CallID, item.Name})
		}
	}
	if r.Usage.TotalTokens == 0 || r.Status != responses.ResponseStatusCompleted &&
		r.Status != responses.ResponseStatusIncomplete {
		return "", nil, fmt.Errorf("a response that is %q", r.Status)
	}
	a.usage = r.Usage.InputTokens
	return r.OutputText(), calls, nil
}

// streamed reads a stream and checks that what its events say is what its end says.
func (a *responsesAgent) streamed(ctx context.Context) (*responses.Response, error) {
	events := a.client.Responses.NewStreaming(ctx, a.params)
	defer events.Close()
	var id string
	var done []string
	for n := int64(0); events.Next(); n++ {
		e := events.Current()
		if e.Type == "error" {
			return nil, errors.New(e.Message)
		}
		if e.SequenceNumber != n {
			return nil, fmt.Errorf("event %d is numbered %d: %s", n, e.SequenceNumber, e.RawJSON())
		}
		switch e.Type {
		case "response.created":
			id = e.Response.ID
		case "response.output_item.added":
			if int(e.OutputIndex) != len(done) {
				return nil, fmt.Errorf("item %d is numbered %d", len(done), e.OutputIndex)
			}
		case "response.output_item.done":
			done = append(done, e.Item.RawJSON())
		case "response.completed", "response.incomplete":
			r := e.Response
			if r.ID != id || len(r.Output) != len(done) {
				return nil, fmt.Errorf("response %s with %d items, want %s with %d", r.ID,
					len(r.Output), id, len(done))
			}
			for i, item := range r.Output {
				if item.RawJSON() != done[i] {
					return nil, fmt.Errorf("item %d is %s, and was %s", i, item.RawJSON(), done[i])
				}
			}
			return &r, nil
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	return nil, errors.New("the stream has no end")
}

func (a *responsesAgent) prompt() int { return int(a.usage) }

func (a *responsesAgent) result(id, text string) {
	output := responses.ResponseInputItemParamOfFunctionCallOutput(text)
	output.OfFunctionCallOutput.CallID = param.NewOpt(id)
	a.params.Input.OfInputItemList = append(a.params.Input.OfInputItemList, output)
}
