//go:build !race

// Left out under the race detector: compiling the SDK for it takes minutes.

package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	official "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	community "github.com/sashabaranov/go-openai"

	"killick/chat"
	"killick/internal/fakeupstream"
	"killick/view"
)

// client is what an application does with an SDK.
type client interface {
	ask(ctx context.Context, prompt string) (text string, prompted int, err error)
	stream(ctx context.Context, prompt string, each func(piece string)) (prompted int, err error)
	useTool(ctx context.Context, run func(name, arguments string) string) (text string, err error)
	embed(ctx context.Context, text string) (dimensions int, err error)
	models(ctx context.Context) (n int, err error)
	failure(err error) (status int, code, message string)
}

// sdkRig is a proxy in front of a scripted upstream, with a client of each SDK.
func sdkRig(t *testing.T, cfg fakeupstream.Config) (*rig, *fakeupstream.Server, map[string]client) {
	t.Helper()
	up := fakeupstream.New(cfg)
	t.Cleanup(up.Close)
	r := newRigAt(t, up.URL(), unchanged)
	conf := community.DefaultConfig("sk-test")
	conf.BaseURL, conf.HTTPClient = r.url+"/v1", r.client
	return r, up, map[string]client{
		"openai-go": officialClient{official.NewClient(option.WithBaseURL(r.url+"/v1"),
			option.WithAPIKey("sk-test"),
			option.WithHTTPClient(r.client), option.WithMaxRetries(0))},
		"go-openai": communityClient{community.NewClientWithConfig(conf)},
	}
}

func TestSDKs(t *testing.T) {
	words := strings.Fields("It is the answer of the model, in as many pieces as there are words.")
	cfg := fakeupstream.Config{
		Keys: []string{"sk-test"},
		Reply: func(r *view.Request) fakeupstream.Reply {
			msgs := r.Messages()
			if last := msgs[len(msgs)-1]; last.Role() == view.Tool {
				return fakeupstream.Reply{Content: "The tool says " + last.Text()}
			}
			if r.Field("tools") != nil {
				return fakeupstream.Reply{ToolCalls: []fakeupstream.ToolCall{{Name: "weather",
					Arguments: `{"city":"Zürich"}`}}}
			}
			return fakeupstream.Reply{Content: strings.Join(words, " ")}
		},
	}
	_, _, clients := sdkRig(t, cfg)
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			text, prompted, err := c.ask(ctx, "What is it?")
			if err != nil || text != strings.Join(words, " ") || prompted == 0 {
				t.Errorf("chat: got %q, %d prompt tokens, %v", text, prompted, err)
			}
			var pieces []string
			prompted, err = c.stream(ctx, "What is it?",
				func(p string) { pieces = append(pieces, p) })
			if err != nil || strings.Join(pieces, "") != strings.Join(words, " ") ||
				len(pieces) < 3 || prompted == 0 {
				t.Errorf("stream: got %q, %d prompt tokens, %v", pieces, prompted, err)
			}
			text, err = c.useTool(ctx, func(name, arguments string) string {
				return name + " " +
					arguments
			})
			if err != nil || text != `The tool says weather {"city":"Zürich"}` {
				t.Errorf("tool: got %q, %v", text, err)
			}
			if n, err := c.embed(ctx, "some text"); err != nil || n == 0 {
				t.Errorf("embeddings: got %d dimensions, %v", n, err)
			}
			if n, err := c.models(ctx); err != nil || n == 0 {
				t.Errorf("models: got %d, %v", n, err)
			}
		})
	}
}

// TestSDKErrors: typed errors come out of the SDKs as from the upstream itself.
func TestSDKErrors(t *testing.T) {
	var fault fakeupstream.Fault
	cfg := fakeupstream.Config{Fault: func(int, *http.Request) fakeupstream.Fault { return fault }}
	r, _, clients := sdkRig(t, cfg)
	for name, c := range clients {
		for _, test := range []struct {
			status int
			code   string
			header http.Header
		}{
			{400, "context_length_exceeded", nil},
			{401, "invalid_api_key", nil},
			{429, "rate_limit_exceeded", http.Header{"Retry-After": {"7"},
				"X-Ratelimit-Remaining-Requests": {"0"}}},
			{500, "server_error", nil},
		} {
			t.Run(fmt.Sprintf("%s/%d", name, test.status), func(t *testing.T) {
				body := chat.ErrorBody("The words of the upstream.", "a_type", test.code)
				fault = fakeupstream.Fault{Status: test.status, Body: body, Header: test.header}
				_, _, err := c.ask(t.Context(), "x")
				status, code, message := c.failure(err)
				if status != test.status || code != test.code ||
					message != "The words of the upstream." {
					t.Errorf("got status %d, code %q, %v", status, code, err)
				}
				a := r.chat(`{"model":"m","messages":[{"role":"user","content":"x"}]}`)
				if string(a.body) != string(body) || a.StatusCode != test.status ||
					a.Header.Get("Retry-After") != test.header.Get("Retry-After") {
					t.Errorf("got %d %s, Retry-After %q", a.StatusCode, a.body,
						a.Header.Get("Retry-After"))
				}
				if _, err := c.stream(t.Context(), "x", func(string) {}); err == nil {
					t.Error("a stream that failed ended well")
				}
			})
		}
	}
}

// TestSDKAbort: a client that aborts in mid-stream stops the upstream at once.
func TestSDKAbort(t *testing.T) {
	cfg := fakeupstream.Config{
		Record: true,
		Reply: func(*view.Request) fakeupstream.Reply {
			return fakeupstream.Reply{Content: strings.Repeat("word ", 2000)}
		},
		Fault: func(int, *http.Request) fakeupstream.Fault {
			return fakeupstream.Fault{Pause: 5 * time.Millisecond}
		},
	}
	for name := range map[string]bool{"openai-go": true, "go-openai": true} {
		t.Run(name, func(t *testing.T) {
			withinBound(t, func() time.Duration {
				r, up, clients := sdkRig(t, cfg)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var aborted time.Time
				n := 0
				_, err := clients[name].stream(ctx, "x", func(string) {
					if n++; n == 5 {
						aborted = time.Now()
						cancel()
					}
				})
				if err == nil {
					t.Fatal("the stream went on")
				}
				var got fakeupstream.Recorded
				r.eventually("the upstream to be cancelled", func() bool {
					got = up.Requests()[0]
					return got.Broken
				})
				return got.Ended.Sub(aborted)
			})
		})
	}
}

// TestSDKCutStream: a stream that is cut off upstream is an error in the SDKs.
func TestSDKCutStream(t *testing.T) {
	for _, reset := range []bool{false, true} {
		_, _, clients := sdkRig(t, fakeupstream.Config{
			Fault: func(int, *http.Request) fakeupstream.Fault {
				return fakeupstream.Fault{CutEvents: 3, Reset: reset}
			},
		})
		for name, c := range clients {
			if _, err := c.stream(t.Context(), "x", func(string) {}); err == nil {
				t.Errorf("%s, reset: %t: a stream that was cut ended well", name, reset)
			}
		}
	}
}

const weatherSchema = `{"type":"object","properties":{"city":{"type":"string"}}}`

type officialMessage = official.ChatCompletionMessageParamUnion

// officialClient works with github.com/openai/openai-go.
type officialClient struct{ official.Client }

func (c officialClient) ask(ctx context.Context, prompt string) (string, int, error) {
	res, err := c.Chat.Completions.New(ctx, official.ChatCompletionNewParams{
		Model:    "gpt-5.1",
		Messages: []officialMessage{official.UserMessage(prompt)},
	})
	if err != nil {
		return "", 0, err
	}
	return res.Choices[0].Message.Content, int(res.Usage.PromptTokens), nil
}

func (c officialClient) stream(
	ctx context.Context, prompt string, each func(string),
) (prompted int, err error) {
	s := c.Chat.Completions.NewStreaming(ctx, official.ChatCompletionNewParams{
		Model:         "gpt-5.1",
		Messages:      []officialMessage{official.UserMessage(prompt)},
		StreamOptions: official.ChatCompletionStreamOptionsParam{IncludeUsage: official.Bool(true)},
	})
	defer s.Close()
	for s.Next() {
		for _, choice := range s.Current().Choices {
			if choice.Delta.Content != "" {
				each(choice.Delta.Content)
			}
		}
		prompted = max(prompted, int(s.Current().Usage.PromptTokens))
	}
	return prompted, s.Err()
}

func (c officialClient) useTool(
	ctx context.Context, run func(name, arguments string) string,
) (string, error) {
	params := official.ChatCompletionNewParams{
		Model:    "gpt-5.1",
		Messages: []officialMessage{official.UserMessage("What is the weather?")},
		Tools: []official.ChatCompletionToolUnionParam{
			official.ChatCompletionFunctionTool(official.FunctionDefinitionParam{
				Name: "weather", Parameters: official.FunctionParameters{"type": "object"},
			}),
		},
	}
	res, err := c.Chat.Completions.New(ctx, params)
	if err != nil {
		return "", err
	}
	params.Messages = append(params.Messages, res.Choices[0].Message.ToParam())
	for _, call := range res.Choices[0].Message.ToolCalls {
		params.Messages = append(params.Messages,
			official.ToolMessage(run(call.Function.Name, call.Function.Arguments), call.ID))
	}
	if res, err = c.Chat.Completions.New(ctx, params); err != nil {
		return "", err
	}
	return res.Choices[0].Message.Content, nil
}

func (c officialClient) embed(ctx context.Context, text string) (int, error) {
	res, err := c.Embeddings.New(ctx, official.EmbeddingNewParams{
		Model: "text-embedding-3-small",
		Input: official.EmbeddingNewParamsInputUnion{OfString: official.String(text)},
	})
	if err != nil {
		return 0, err
	}
	return len(res.Data[0].Embedding), nil
}

func (c officialClient) models(ctx context.Context) (int, error) {
	res, err := c.Models.List(ctx)
	if err != nil {
		return 0, err
	}
	return len(res.Data), nil
}

func (c officialClient) failure(err error) (int, string, string) {
	var e *official.Error
	if !errors.As(err, &e) {
		return 0, "", ""
	}
	return e.StatusCode, e.Code, e.Message
}

// communityClient works with github.com/sashabaranov/go-openai.
type communityClient struct{ *community.Client }

func (c communityClient) ask(ctx context.Context, prompt string) (string, int, error) {
	res, err := c.CreateChatCompletion(ctx, community.ChatCompletionRequest{
		Model: "gpt-4o", Messages: []community.ChatCompletionMessage{{Role: "user",
			Content: prompt}},
	})
	if err != nil {
		return "", 0, err
	}
	return res.Choices[0].Message.Content, res.Usage.PromptTokens, nil
}

func (c communityClient) stream(
	ctx context.Context, prompt string, each func(string),
) (prompted int, err error) {
	s, err := c.CreateChatCompletionStream(ctx, community.ChatCompletionRequest{
		Model: "gpt-4o", Messages: []community.ChatCompletionMessage{{Role: "user",
			Content: prompt}},
		StreamOptions: &community.StreamOptions{IncludeUsage: true},
	})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for {
		res, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return prompted, nil
		}
		if err != nil {
			return prompted, err
		}
		for _, choice := range res.Choices {
			if choice.Delta.Content != "" {
				each(choice.Delta.Content)
			}
		}
		if res.Usage != nil {
			prompted = res.Usage.PromptTokens
		}
	}
}

func (c communityClient) useTool(ctx context.Context,
	run func(name, arguments string) string) (string, error) {
	req := community.ChatCompletionRequest{
		Model: "gpt-4o",
		Messages: []community.ChatCompletionMessage{{Role: "user",
			Content: "What is the weather?"}},
		Tools: []community.Tool{{Type: community.ToolTypeFunction,
			Function: &community.FunctionDefinition{
				Name: "weather", Parameters: chatSchema(weatherSchema),
			}}},
	}
	res, err := c.CreateChatCompletion(ctx, req)
	if err != nil {
		return "", err
	}
	req.Messages = append(req.Messages, res.Choices[0].Message)
	for _, call := range res.Choices[0].Message.ToolCalls {
		req.Messages = append(req.Messages, community.ChatCompletionMessage{Role: "tool",
			ToolCallID: call.ID,
			Content:    run(call.Function.Name, call.Function.Arguments)})
	}
	if res, err = c.CreateChatCompletion(ctx, req); err != nil {
		return "", err
	}
	return res.Choices[0].Message.Content, nil
}

// chatSchema is JSON that is sent as it is.
type chatSchema string

// MarshalJSON returns the schema.
func (s chatSchema) MarshalJSON() ([]byte, error) { return []byte(s), nil }

func (c communityClient) embed(ctx context.Context, text string) (int, error) {
	res, err := c.CreateEmbeddings(ctx, community.EmbeddingRequestStrings{Input: []string{text},
		Model: community.SmallEmbedding3})
	if err != nil {
		return 0, err
	}
	return len(res.Data[0].Embedding), nil
}

func (c communityClient) models(ctx context.Context) (int, error) {
	res, err := c.ListModels(ctx)
	return len(res.Models), err
}

func (c communityClient) failure(err error) (int, string, string) {
	var e *community.APIError
	if !errors.As(err, &e) {
		return 0, "", ""
	}
	code, _ := e.Code.(string)
	return e.HTTPStatusCode, code, e.Message
}
