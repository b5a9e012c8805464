//go:build !race

// Left out under the race detector: compiling the SDK for it takes minutes.

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"killick/internal/fakeupstream"
)

func TestOpenAISDK(t *testing.T) {
	noLeaks(t)
	for name, compress := range map[string]bool{"plain": false, "gzip": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, sdkScript(compress), nil)
			t.Run("chat", func(t *testing.T) { openAIChat(t, g) })
			t.Run("stream", func(t *testing.T) { openAIStream(t, g) })
			t.Run("tools", func(t *testing.T) { openAITools(t, g) })
			t.Run("errors", func(t *testing.T) { openAIErrors(t, g) })
			t.Run("cut", func(t *testing.T) { openAICut(t, g) })
			t.Run("abort", func(t *testing.T) { openAIAbort(t, g) })
			t.Run("embeddings", func(t *testing.T) { openAIEmbeddings(t, g) })
			t.Run("models", func(t *testing.T) { openAIModels(t, g) })
		})
	}
	t.Run("retries", openAIRetries)
	t.Run("long conversation", openAILongConversation)
}

// openAIAt returns the official SDK pointed at a base URL, without retries
// unless opts say otherwise.
func openAIAt(t *testing.T, baseURL string, opts ...option.RequestOption) openai.Client {
	client, _ := sdkClient(t, nil)
	return openai.NewClient(append([]option.RequestOption{
		option.WithBaseURL(baseURL), option.WithAPIKey(sdkKey), option.WithHTTPClient(client),
		option.WithMaxRetries(0),
	}, opts...)...)
}

func openAIQuestion() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:       "gpt-4o",
		Temperature: openai.Float(0.7),
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("Be brief."),
			openai.UserMessage("What is a killick? <b>&amp;\u2028</b>"),
		},
	}
}

func openAIChat(t *testing.T, g *gateway) {
	var raw *http.Response
	client := openAIAt(t, g.url+"/v1")
	res, err := client.Chat.Completions.New(t.Context(), openAIQuestion(),
		option.WithResponseInto(&raw))
	if err != nil {
		t.Fatal(err)
	}
	seen := g.lastRequest(t)
	if got := res.Choices[0].Message.Content; !strings.HasPrefix(got, "A killick") ||
		!strings.HasSuffix(got, "a boat”.") {
		t.Errorf("the answer is %q", got)
	}
	if res.Usage.PromptTokens != int64(seen.Usage.PromptTokens) || res.Usage.PromptTokens == 0 {
		t.Errorf("the SDK sees %d tokens of prompt, the upstream counted %d",
			res.Usage.PromptTokens, seen.Usage.PromptTokens)
	}
	for name, want := range map[string]string{"Killick-Action": "none",
		"X-Request-Id": fmt.Sprintf("req_%016x", seen.N), "X-Ratelimit-Limit-Requests": "10000"} {
		if got := raw.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func openAIStream(t *testing.T, g *gateway) {
	params := openAIQuestion()
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	client := openAIAt(t, g.url+"/v1")
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	chunks := 0
	for stream.Next() {
		chunks++
		if !acc.AddChunk(stream.Current()) {
			t.Fatalf("the SDK cannot add chunk %d: %s", chunks, stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if got := acc.Choices[0].Message.Content; !strings.HasPrefix(got, "A killick") ||
		!strings.HasSuffix(got, "a boat”.") {
		t.Errorf("the deltas add up to %q", got)
	}
	seen := g.lastRequest(t).Usage
	if u := acc.Usage; u.PromptTokens != int64(seen.PromptTokens) ||
		u.CompletionTokens != int64(seen.CompletionTokens) || u.TotalTokens == 0 {
		t.Errorf("the SDK sees the usage %s, the upstream counted %+v", u.RawJSON(), seen)
	}
	if acc.Choices[0].FinishReason != "stop" || chunks < 5 {
		t.Errorf("%d chunks, finished by %q", chunks, acc.Choices[0].FinishReason)
	}
}

// openAITool is one tool that takes one string.
func openAITool(name, argument string) []openai.ChatCompletionToolUnionParam {
	function := openai.FunctionDefinitionParam{Name: name,
		Parameters: openai.FunctionParameters{"type": "object",
			"properties": map[string]any{argument: map[string]any{"type": "string"}}}}
	return []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(function)}
}

func openAITools(t *testing.T, g *gateway) {
	client := openAIAt(t, g.url+"/v1")
	for _, streamed := range []bool{false, true} {
		params := openAIQuestion()
		params.Tools = openAITool("weather", "city")
		ask := func() *openai.ChatCompletion { return openAIAsk(t, client, params, streamed) }
		first := ask().Choices[0]
		if first.FinishReason != "tool_calls" || len(first.Message.ToolCalls) != 2 {
			t.Fatalf("finished by %q with %d calls, want tool_calls with two", first.FinishReason,
				len(first.Message.ToolCalls))
		}
		params.Messages = append(params.Messages, first.Message.ToParam())
		for i, city := range []string{"Oslo", "Lima"} {
			call := first.Message.ToolCalls[i]
			if call.Function.Name != "weather" ||
				call.Function.Arguments != `{"city": "`+city+`"}` {
				t.Errorf("call %d is %s(%s)", i, call.Function.Name, call.Function.Arguments)
			}
			params.Messages = append(params.Messages, openai.ToolMessage("fair in "+city, call.ID))
		}
		if got := ask().Choices[0].Message.Content; got !=
			"Oslo has 4°C, Lima 22°C: pack for both." {
			t.Errorf("streamed %t: the final text is %q", streamed, got)
		}
	}
}

// openAIAsk asks once, whole or by a stream that is put together.
func openAIAsk(t *testing.T, client openai.Client, params openai.ChatCompletionNewParams,
	streamed bool, opts ...option.RequestOption) *openai.ChatCompletion {
	t.Helper()
	if !streamed {
		res, err := client.Chat.Completions.New(t.Context(), params, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), params, opts...)
	defer stream.Close()
	acc := &openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Fatalf("the SDK cannot add the chunk %s", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return &acc.ChatCompletion
}

// openAIError is what the SDK exposes of an error.
type openAIError struct {
	Status                     int
	Message, Type, Param, Code string
	RetryAfter, Raw            string
}

func openAIErrors(t *testing.T, g *gateway) {
	for _, c := range []struct {
		name, typ string
		status    int
		code      string
		opts      []option.RequestOption
		params    func(*openai.ChatCompletionNewParams)
	}{
		{name: "400", status: 400, typ: "invalid_request_error",
			params: func(p *openai.ChatCompletionNewParams) {
				p.Messages = append(p.Messages, openai.ToolMessage("of no call", "call_1"))
			}},
		{name: "401", status: 401, typ: "invalid_request_error", code: "invalid_api_key",
			opts: []option.RequestOption{option.WithAPIKey("sk-wrong")}},
		{name: "429", status: 429, typ: "requests", code: "rate_limit_exceeded",
			opts: []option.RequestOption{option.WithHeader(faultHeader, "status=429")}},
		{name: "500", status: 500, typ: "server_error",
			opts: []option.RequestOption{option.WithHeader(faultHeader, "status=500")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sameOnBothSides(t, g, func(t *testing.T, baseURL string) openAIError {
				params := openAIQuestion()
				if c.params != nil {
					c.params(&params)
				}
				client := openAIAt(t, baseURL)
				_, err := client.Chat.Completions.New(t.Context(), params, c.opts...)
				var e *openai.Error
				if !errors.As(err, &e) {
					t.Fatalf("got %v, want an *openai.Error", err)
				}
				got := openAIError{e.StatusCode, e.Message, e.Type, e.Param, e.Code,
					e.Response.Header.Get("Retry-After"), e.RawJSON()}
				if got.Status != c.status || got.Type != c.typ || got.Code != c.code ||
					got.Message == "" {
					t.Errorf("got %+v", got)
				}
				if c.status == 429 && got.RetryAfter != "7" {
					t.Errorf("retry-after %q, want 7", got.RetryAfter)
				}
				return got
			})
		})
	}
}

// The SDK waits for as long as the upstream says, which is longer than it would
// by itself, and then gets its answer.
func openAIRetries(t *testing.T) {
	t.Parallel()
	script := sdkScript(false)
	script.Fault = func(n int, _ *http.Request) fakeupstream.Fault {
		if n == 1 {
			return fakeupstream.Fault{Status: 429, Header: http.Header{"Retry-After": {"1"}}}
		}
		return fakeupstream.Fault{}
	}
	g := newGateway(t, script, nil)
	client := openAIAt(t, g.url+"/v1", option.WithMaxRetries(2))
	if _, err := client.Chat.Completions.New(t.Context(), openAIQuestion()); err != nil {
		t.Fatal(err)
	}
	seen := g.upstream.Requests()
	if len(seen) != 2 {
		t.Fatalf("the upstream saw %d requests, want the refused one and another", len(seen))
	}
	if waited := seen[1].Arrived.Sub(seen[0].Ended); waited < 900*time.Millisecond {
		t.Errorf("the SDK came back after %v, want the second that the upstream asked for", waited)
	}
}

// A stream that the upstream cuts is not a whole answer.
func openAICut(t *testing.T, g *gateway) {
	client := openAIAt(t, g.url+"/v1")
	stream := client.Chat.Completions.NewStreaming(t.Context(), openAIQuestion(),
		option.WithHeader(faultHeader, "cut"))
	defer stream.Close()
	chunks := 0
	for stream.Next() {
		chunks++
	}
	if stream.Err() == nil || chunks == 0 {
		t.Errorf("%d chunks of a cut stream, then the error %v", chunks, stream.Err())
	}
}

func openAIAbort(t *testing.T, g *gateway) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client := openAIAt(t, g.url+"/v1")
	stream := client.Chat.Completions.NewStreaming(ctx, openAIQuestion(),
		option.WithHeader(faultHeader, "pause"))
	defer stream.Close()
	if !stream.Next() {
		t.Fatalf("no first chunk: %v", stream.Err())
	}
	left := time.Now()
	cancel()
	if stream.Next() || !errors.Is(stream.Err(), context.Canceled) {
		t.Errorf("after the cancel: %v", stream.Err())
	}
	if seen := g.lastRequest(t); !seen.Broken || seen.Ended.Sub(left) > leftWithin {
		t.Errorf("the upstream saw the client leave %v later, broken: %t", seen.Ended.Sub(left),
			seen.Broken)
	}
}

func openAIEmbeddings(t *testing.T, g *gateway) {
	sameOnBothSides(t, g, func(t *testing.T, baseURL string) string {
		client := openAIAt(t, baseURL)
		res, err := client.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
			Model:      "text-embedding-3-small",
			Dimensions: openai.Int(16),
			Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"stone",
				"anchor"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Data) != 2 || len(res.Data[1].Embedding) != 16 || res.Usage.PromptTokens == 0 {
			t.Errorf("%d vectors, usage %s", len(res.Data), res.Usage.RawJSON())
		}
		return res.RawJSON()
	})
}

func openAIModels(t *testing.T, g *gateway) {
	sameOnBothSides(t, g, func(t *testing.T, baseURL string) []string {
		client := openAIAt(t, baseURL)
		page, err := client.Models.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		one, err := client.Models.Get(t.Context(), "gpt-4o")
		if err != nil {
			t.Fatal(err)
		}
		var absent *openai.Error
		if _, err := client.Models.Get(t.Context(), "gpt-0"); !errors.As(err, &absent) ||
			absent.StatusCode != 404 || absent.Code != "model_not_found" {
			t.Errorf("a model that is not there: %v", err)
		}
		all := []string{one.RawJSON()}
		for _, m := range page.Data {
			all = append(all, m.ID)
		}
		if len(all) < 3 || one.ID != "gpt-4o" {
			t.Errorf("the models are %q", all)
		}
		return all
	})
}

// A session that outgrows the trigger several times is compacted, and the SDK
// notices nothing unless it asks.
func openAILongConversation(t *testing.T) {
	t.Parallel()
	g := newGateway(t, agentScript(), agentBudget)
	transport, sent := sdkClient(t, nil)
	client := openAIAt(t, g.url+"/v1", option.WithHTTPClient(transport))
	params := openai.ChatCompletionNewParams{
		Model: "gpt-4o",
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("You are a careful engineer."),
			openai.UserMessage("Find where the limit is parsed. Never edit a file."),
		},
		Tools: openAITool("read_file", "path"),
	}
	var actions []string
	for turn := range agentTurns + 1 {
		var raw *http.Response
		choice := openAIAsk(t, client, params, turn%2 == 1,
			option.WithResponseInto(&raw)).Choices[0]
		actions = append(actions, raw.Header.Get("Killick-Action"))
		if turn == agentTurns {
			if !strings.HasPrefix(choice.Message.Content, "All files are read") {
				t.Errorf("the final text is %q", choice.Message.Content)
			}
			break
		}
		if len(choice.Message.ToolCalls) != 1 {
			t.Fatalf("turn %d: %d calls, want one: %s", turn+1, len(choice.Message.ToolCalls),
				choice.RawJSON())
		}
		call := choice.Message.ToolCalls[0]
		params.Messages = append(params.Messages, choice.Message.ToParam(),
			openai.ToolMessage(agentFile(call.Function.Arguments), call.ID))
	}
	checkAgent(t, g, sent.all, actions)
}
