package e2e

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	goopenai "github.com/sashabaranov/go-openai"
)

func TestGoOpenAISDK(t *testing.T) {
	noLeaks(t)
	for name, compress := range map[string]bool{"plain": false, "gzip": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, sdkScript(compress), nil)
			t.Run("chat", func(t *testing.T) { goOpenAIChat(t, g) })
			t.Run("stream", func(t *testing.T) { goOpenAIStream(t, g) })
			t.Run("tools", func(t *testing.T) { goOpenAITools(t, g) })
			t.Run("errors", func(t *testing.T) { goOpenAIErrors(t, g) })
			t.Run("cut", func(t *testing.T) { goOpenAICut(t, g) })
			t.Run("abort", func(t *testing.T) { goOpenAIAbort(t, g) })
			t.Run("embeddings", func(t *testing.T) { goOpenAIEmbeddings(t, g) })
			t.Run("models", func(t *testing.T) { goOpenAIModels(t, g) })
		})
	}
	t.Run("long conversation", goOpenAILongConversation)
}

// goOpenAIAt returns go-openai pointed at a base URL, with a fault asked for in
// every request unless it is "".
func goOpenAIAt(t *testing.T, baseURL, key, fault string) (*goopenai.Client, *sentBodies) {
	header := http.Header{}
	if fault != "" {
		header.Set(faultHeader, fault)
	}
	config := goopenai.DefaultConfig(key)
	config.BaseURL = baseURL
	client, sent := sdkClient(t, header)
	config.HTTPClient = client
	return goopenai.NewClientWithConfig(config), sent
}

func goOpenAIQuestion() goopenai.ChatCompletionRequest {
	return goopenai.ChatCompletionRequest{
		Model:       "gpt-4o",
		Temperature: 0.7,
		Messages: []goopenai.ChatCompletionMessage{
			{Role: "system", Content: "Be brief."},
			{Role: "user", Content: "What is a killick? <b>&amp;\u2028</b>"},
		},
	}
}

func goOpenAIChat(t *testing.T, g *gateway) {
	client, _ := goOpenAIAt(t, g.url+"/v1", sdkKey, "")
	res, err := client.CreateChatCompletion(t.Context(), goOpenAIQuestion())
	if err != nil {
		t.Fatal(err)
	}
	seen := g.lastRequest(t)
	if got := res.Choices[0].Message.Content; !strings.HasPrefix(got, "A killick") ||
		!strings.HasSuffix(got, "a boat”.") {
		t.Errorf("the answer is %q", got)
	}
	if res.Usage.PromptTokens != seen.Usage.PromptTokens || res.Usage.PromptTokens == 0 {
		t.Errorf("the SDK sees %d tokens of prompt, the upstream counted %d",
			res.Usage.PromptTokens, seen.Usage.PromptTokens)
	}
	if limits := res.GetRateLimitHeaders(); limits.LimitRequests != 10000 ||
		limits.ResetTokens != "2ms" {
		t.Errorf("the SDK sees the rate limits %+v", limits)
	}
	if got := res.Header().Get("Killick-Action"); got != "none" {
		t.Errorf("Killick-Action: %q, want none", got)
	}
}

func goOpenAIStream(t *testing.T, g *gateway) {
	client, _ := goOpenAIAt(t, g.url+"/v1", sdkKey, "")
	request := goOpenAIQuestion()
	request.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	message, usage, _ := goOpenAIAsk(t, client, request, true)
	if got := message.Content; !strings.HasPrefix(got, "A killick") ||
		!strings.HasSuffix(got, "a boat”.") {
		t.Errorf("the deltas add up to %q", got)
	}
	seen := g.lastRequest(t).Usage
	if usage.PromptTokens != seen.PromptTokens || usage.CompletionTokens != seen.CompletionTokens ||
		usage.TotalTokens == 0 {
		t.Errorf("the SDK sees the usage %+v, the upstream counted %+v", usage, seen)
	}
}

// goOpenAIAsk asks once, whole or by a stream whose deltas it adds up, and also
// returns what Killick reports.
func goOpenAIAsk(t *testing.T, client *goopenai.Client, request goopenai.ChatCompletionRequest,
	streamed bool) (message goopenai.ChatCompletionMessage, usage goopenai.Usage, action string) {
	t.Helper()
	if !streamed {
		res, err := client.CreateChatCompletion(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		return res.Choices[0].Message, res.Usage, res.Header().Get("Killick-Action")
	}
	stream, err := client.CreateChatCompletionStream(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return message, usage, stream.Header().Get("Killick-Action")
		}
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Usage != nil {
			usage = *chunk.Usage
		}
		for _, choice := range chunk.Choices {
			addDelta(&message, choice.Delta)
		}
	}
}

func addDelta(m *goopenai.ChatCompletionMessage, d goopenai.ChatCompletionStreamChoiceDelta) {
	m.Role += d.Role
	m.Content += d.Content
	for _, piece := range d.ToolCalls {
		if *piece.Index == len(m.ToolCalls) {
			m.ToolCalls = append(m.ToolCalls, goopenai.ToolCall{ID: piece.ID, Type: piece.Type})
		}
		function := &m.ToolCalls[*piece.Index].Function
		function.Name += piece.Function.Name
		function.Arguments += piece.Function.Arguments
	}
}

// goOpenAITool is a function with one argument, a string.
func goOpenAITool(name, argument string) []goopenai.Tool {
	return []goopenai.Tool{{Type: goopenai.ToolTypeFunction, Function: &goopenai.FunctionDefinition{
		Name: name,
		Parameters: map[string]any{"type": "object",
			"properties": map[string]any{argument: map[string]any{"type": "string"}}},
	}}}
}

func goOpenAITools(t *testing.T, g *gateway) {
	client, _ := goOpenAIAt(t, g.url+"/v1", sdkKey, "")
	for _, streamed := range []bool{false, true} {
		request := goOpenAIQuestion()
		request.Tools = goOpenAITool("weather", "city")
		message, _, _ := goOpenAIAsk(t, client, request, streamed)
		if len(message.ToolCalls) != 2 {
			t.Fatalf("streamed %t: %d calls, want two", streamed, len(message.ToolCalls))
		}
		request.Messages = append(request.Messages, message)
		for i, city := range []string{"Oslo", "Lima"} {
			call := message.ToolCalls[i]
			if call.Function.Name != "weather" ||
				call.Function.Arguments != `{"city": "`+city+`"}` {
				t.Errorf("call %d is %s(%s)", i, call.Function.Name, call.Function.Arguments)
			}
			request.Messages = append(request.Messages,
				goopenai.ChatCompletionMessage{Role: "tool", Content: "fair in " + city,
					ToolCallID: call.ID})
		}
		if message, _, _ = goOpenAIAsk(t, client, request, streamed); message.Content !=
			"Oslo has 4°C, Lima 22°C: pack for both." {
			t.Errorf("streamed %t: the final text is %q", streamed, message.Content)
		}
	}
}

// goOpenAIError is what the SDK exposes of an error.
type goOpenAIError struct {
	Error      goopenai.APIError
	Param      string
	RetryAfter string
}

func goOpenAIErrors(t *testing.T, g *gateway) {
	for _, c := range []struct {
		name, typ, key, fault string
		status                int
		code                  any  // 0 is how go-openai reads null
		orphan                bool // the request has a tool result without a call
	}{
		{name: "400", status: 400, typ: "invalid_request_error", code: 0, key: sdkKey,
			orphan: true},
		{name: "401", status: 401, typ: "invalid_request_error", code: "invalid_api_key",
			key: "sk-wrong"},
		{name: "429", status: 429, typ: "requests", code: "rate_limit_exceeded", key: sdkKey,
			fault: "status=429"},
		{name: "500", status: 500, typ: "server_error", code: 0, key: sdkKey, fault: "status=500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sameOnBothSides(t, g, func(t *testing.T, baseURL string) goOpenAIError {
				client, _ := goOpenAIAt(t, baseURL, c.key, c.fault)
				request := goOpenAIQuestion()
				if c.orphan {
					request.Messages = append(request.Messages,
						goopenai.ChatCompletionMessage{Role: "tool", Content: "of no call",
							ToolCallID: "call_1"})
				}
				res, err := client.CreateChatCompletion(t.Context(), request)
				var e *goopenai.APIError
				if !errors.As(err, &e) {
					t.Fatalf("got %v, want an *openai.APIError", err)
				}
				if e.HTTPStatusCode != c.status || e.Type != c.typ || e.Code != c.code ||
					e.Message == "" {
					t.Errorf("got %+v", e)
				}
				got := goOpenAIError{Error: *e, RetryAfter: res.Header().Get("Retry-After")}
				if got.Error.Param != nil {
					got.Error.Param, got.Param = nil, *e.Param
				}
				if c.status == 429 && got.RetryAfter != "7" {
					t.Errorf("retry-after %q, want 7", got.RetryAfter)
				}
				_, err = client.CreateChatCompletionStream(t.Context(), request)
				if !errors.As(err, &e) || e.HTTPStatusCode != c.status {
					t.Errorf("streamed: got %v, want an *openai.APIError of status %d",
						err, c.status)
				}
				return got
			})
		})
	}
}

// goOpenAIBegin starts a stream under a fault and reads its first chunk.
func goOpenAIBegin(t *testing.T, ctx context.Context, g *gateway,
	fault string) *goopenai.ChatCompletionStream {
	t.Helper()
	client, _ := goOpenAIAt(t, g.url+"/v1", sdkKey, fault)
	stream, err := client.CreateChatCompletionStream(ctx, goOpenAIQuestion())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatalf("no first chunk: %v", err)
	}
	return stream
}

// A stream that the upstream cuts is not a whole answer: go-openai reads io.EOF after [DONE] and
// nowhere else.
func goOpenAICut(t *testing.T, g *gateway) {
	stream := goOpenAIBegin(t, t.Context(), g, "cut")
	defer stream.Close()
	var err error
	for err == nil {
		_, err = stream.Recv()
	}
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a cut stream ended cleanly: %v", err)
	}
}

func goOpenAIAbort(t *testing.T, g *gateway) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream := goOpenAIBegin(t, ctx, g, "pause")
	defer stream.Close()
	left := time.Now()
	cancel()
	if _, err := stream.Recv(); !errors.Is(err, context.Canceled) {
		t.Errorf("after the cancel: %v", err)
	}
	if seen := g.lastRequest(t); !seen.Broken || seen.Ended.Sub(left) > leftWithin {
		t.Errorf("the upstream saw the client leave %v later, broken: %t", seen.Ended.Sub(left),
			seen.Broken)
	}
}

func goOpenAIEmbeddings(t *testing.T, g *gateway) {
	for _, format := range []goopenai.EmbeddingEncodingFormat{"float", "base64"} {
		sameOnBothSides(t, g, func(t *testing.T, baseURL string) []goopenai.Embedding {
			client, _ := goOpenAIAt(t, baseURL, sdkKey, "")
			res, err := client.CreateEmbeddings(t.Context(), goopenai.EmbeddingRequestStrings{
				Model: goopenai.SmallEmbedding3, Dimensions: 16, Input: []string{"stone", "anchor"},
				EncodingFormat: format,
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Data) != 2 || len(res.Data[1].Embedding) != 16 ||
				res.Usage.PromptTokens == 0 {
				t.Errorf("%s: %d vectors, usage %+v", format, len(res.Data), res.Usage)
			}
			return res.Data
		})
	}
}

func goOpenAIModels(t *testing.T, g *gateway) {
	sameOnBothSides(t, g, func(t *testing.T, baseURL string) []goopenai.Model {
		client, _ := goOpenAIAt(t, baseURL, sdkKey, "")
		list, err := client.ListModels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		one, err := client.GetModel(t.Context(), "gpt-4o")
		if err != nil {
			t.Fatal(err)
		}
		var absent *goopenai.APIError
		if _, err := client.GetModel(t.Context(), "gpt-0"); !errors.As(err, &absent) ||
			absent.HTTPStatusCode != 404 || absent.Code != "model_not_found" {
			t.Errorf("a model that is not there: %v", err)
		}
		if len(list.Models) < 3 || one.ID != "gpt-4o" {
			t.Errorf("the models are %+v and %+v", list.Models, one)
		}
		return append(list.Models,
			goopenai.Model{ID: one.ID, OwnedBy: one.OwnedBy, CreatedAt: one.CreatedAt})
	})
}

// The same session as with the official SDK.
func goOpenAILongConversation(t *testing.T) {
	t.Parallel()
	g := newGateway(t, agentScript(), agentBudget)
	client, sent := goOpenAIAt(t, g.url+"/v1", sdkKey, "")
	request := goopenai.ChatCompletionRequest{
		Model: "gpt-4o",
		Messages: []goopenai.ChatCompletionMessage{
			{Role: "system", Content: "You are a careful engineer."},
			{Role: "user", Content: "Find where the limit is parsed. Never edit a file."},
		},
		Tools: goOpenAITool("read_file", "path"),
	}
	var actions []string
	for turn := range agentTurns + 1 {
		message, _, action := goOpenAIAsk(t, client, request, turn%2 == 1)
		actions = append(actions, action)
		if turn == agentTurns {
			if !strings.HasPrefix(message.Content, "All files are read") {
				t.Errorf("the final text is %q", message.Content)
			}
			break
		}
		if len(message.ToolCalls) != 1 {
			t.Fatalf("turn %d: %d calls, want one", turn+1, len(message.ToolCalls))
		}
		call := message.ToolCalls[0]
		request.Messages = append(request.Messages, message,
			goopenai.ChatCompletionMessage{Role: "tool",
				Content: agentFile(call.Function.Arguments), ToolCallID: call.ID})
	}
	checkAgent(t, g, sent.all, actions)
}
