//go:build !race

// Left out under the race detector: compiling the SDK for it takes minutes.

package fakeresponses

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

// client is OpenAI's own client of a server.
func client(t *testing.T, s *Server) (openai.Client, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return openai.NewClient(option.WithBaseURL(s.URL()), option.WithAPIKey("sk-one"),
		option.WithMaxRetries(1)), ctx
}

// input is a message of the user.
func input(text string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser)
}

func params(items ...responses.ResponseInputItemUnionParam) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: "gpt-6.1", Store: param.NewOpt(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items}}
}

// back is the output of a response as the client sends it back.
func back(r *responses.Response) (items []responses.ResponseInputItemUnionParam) {
	for _, item := range r.Output {
		items = append(items, param.Override[responses.ResponseInputItemUnionParam](
			json.RawMessage(item.RawJSON())))
	}
	return items
}

// looksUp is a model that calls a tool of each kind once, and then says what they answered.
func looksUp(r *Request) Reply {
	if r.Last().Text("role") == "user" {
		return Reply{Summary: "Two tools may know.", Content: "I will ask both.", Calls: []Call{
			{Name: "weather", Input: `{"city":"Zürich"}`},
			{Type: "custom_tool_call", Name: "sql", Input: "select temperature"}}}
	}
	return Reply{Content: "The tools say " + said(r.Items[len(r.Items)-2]) + " and " +
		said(r.Last())}
}

// outputs are the outputs of the calls of a response.
func outputs(r *responses.Response) (items []responses.ResponseInputItemUnionParam) {
	for _, item := range r.Output {
		switch call := item.AsAny().(type) {
		case responses.ResponseFunctionToolCall:
			output := responses.ResponseInputItemParamOfFunctionCallOutput("cold")
			output.OfFunctionCallOutput.CallID = param.NewOpt(call.CallID)
			items = append(items, output)
		case responses.ResponseCustomToolCall:
			items = append(items, responses.ResponseInputItemParamOfCustomToolCallOutput(
				call.CallID, "-3"))
		}
	}
	return items
}

func TestSDK(t *testing.T) {
	s := start(t, Config{Keys: []string{"sk-one"}, Reply: looksUp})
	c, ctx := client(t, s)
	items := []responses.ResponseInputItemUnionParam{input("How is the weather?")}
	first, err := c.Responses.New(ctx, params(items...))
	if err != nil {
		t.Fatal(err)
	}
	if first.Status != "completed" || len(first.Output) != 4 || first.OutputText() !=
		"I will ask both." || first.Usage.InputTokens == 0 ||
		first.Usage.OutputTokensDetails.ReasoningTokens != reasoningTokens ||
		first.Output[0].AsReasoning().EncryptedContent == "" ||
		first.Output[1].AsMessage().Phase != "commentary" {
		t.Errorf("first response %s", first.RawJSON())
	}
	items = append(append(items, back(first)...), outputs(first)...)
	second, err := c.Responses.New(ctx, params(items...))
	if err != nil {
		t.Fatal(err)
	}
	if got := second.OutputText(); got != "The tools say cold and -3" {
		t.Errorf("second response %q", got)
	}
}

func TestSDKStream(t *testing.T) {
	s := start(t, Config{Reply: looksUp, Record: true})
	c, ctx := client(t, s)
	stream := c.Responses.NewStreaming(ctx, params(input("How is the weather?")))
	var text, arguments, sql, summary strings.Builder
	var done *responses.Response
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text.WriteString(event.Delta)
		case responses.ResponseFunctionCallArgumentsDeltaEvent:
			arguments.WriteString(event.Delta)
		case responses.ResponseCustomToolCallInputDeltaEvent:
			sql.WriteString(event.Delta)
		case responses.ResponseReasoningSummaryTextDeltaEvent:
			summary.WriteString(event.Delta)
		case responses.ResponseCompletedEvent:
			done = &event.Response
		}
	}
	if err := stream.Err(); err != nil || done == nil {
		t.Fatalf("the stream ends with %v and %v", done, err)
	}
	if text.String() != "I will ask both." || arguments.String() != `{"city":"Zürich"}` ||
		sql.String() != "select temperature" || summary.String() != "Two tools may know." {
		t.Errorf("got %q, %q, %q and %q", &text, &arguments, &sql, &summary)
	}
	again := append(append([]responses.ResponseInputItemUnionParam{input("How is the weather?")},
		back(done)...), outputs(done)...)
	if _, err := c.Responses.New(ctx, params(again...)); err != nil {
		t.Errorf("sending back what was streamed: %v", err)
	}
	if r := s.Requests()[1]; r.MissingPhases != 0 || r.MovedReasoning != 0 {
		t.Errorf("findings %+v, want none", r.Findings)
	}
}

func TestSDKState(t *testing.T) {
	s := start(t, Config{Reply: looksUp})
	c, ctx := client(t, s)
	ask := params(input("How is the weather?"))
	ask.Store = param.Opt[bool]{}
	first, err := c.Responses.New(ctx, ask)
	if err != nil {
		t.Fatal(err)
	}
	ask = params(outputs(first)...)
	ask.PreviousResponseID = param.NewOpt(first.ID)
	second, err := c.Responses.New(ctx, ask)
	if err != nil || second.OutputText() != "The tools say cold and -3" {
		t.Errorf("second response %v, %v", second, err)
	}
	stored, err := c.Responses.Get(ctx, first.ID, responses.ResponseGetParams{})
	if err != nil || stored.ID != first.ID || len(stored.Output) != len(first.Output) {
		t.Errorf("stored response %v, %v", stored, err)
	}
	if err := c.Responses.Delete(ctx, first.ID); err != nil {
		t.Errorf("deleting: %v", err)
	}
}

func TestSDKCompaction(t *testing.T) {
	s := start(t, Config{})
	c, ctx := client(t, s)
	items := []responses.ResponseInputItemUnionParam{input("one"), input(long(2000))}
	compacted, err := c.Responses.Compact(ctx, responses.ResponseCompactParams{Model: "gpt-6.1",
		Input: responses.ResponseCompactParamsInputUnion{OfResponseInputItemArray: items}})
	if err != nil || len(compacted.Output) != 3 ||
		compacted.Output[2].AsCompaction().EncryptedContent == "" {
		t.Fatalf("compacted %v, %v", compacted, err)
	}
	count, err := c.Responses.InputTokens.Count(ctx, responses.InputTokenCountParams{
		Model: param.NewOpt("gpt-6.1"), Input: responses.InputTokenCountParamsInputUnion{
			OfResponseInputItemArray: items}})
	if err != nil || count.InputTokens != compacted.Usage.InputTokens || count.InputTokens < 2000 {
		t.Errorf("counted %v, %v; want the input of %d tokens", count, err,
			compacted.Usage.InputTokens)
	}
	managed := params(items...)
	managed.ContextManagement = []responses.ResponseNewParamsContextManagement{
		{Type: "compaction", CompactThreshold: param.NewOpt[int64](1000)}}
	response, err := c.Responses.New(ctx, managed)
	if err != nil || response.Output[0].AsCompaction().ID == "" {
		t.Fatalf("managed %v, %v", response, err)
	}
	if _, err := c.Responses.New(ctx, params(append(back(response), input("x"))...)); err != nil {
		t.Errorf("sending the compaction item back: %v", err)
	}
}

func TestSDKErrors(t *testing.T) {
	tries := 0
	s := start(t, Config{Window: 1000, Fault: func(n int, r *http.Request) Fault {
		if r.Header.Get("X-Try") == "" {
			return Fault{}
		}
		tries++
		return Fault{Status: 429, Header: http.Header{"Retry-After-Ms": {"1"},
			"X-Should-Retry": {r.Header.Get("X-Try")}}}
	}})
	c, ctx := client(t, s)
	_, err := c.Responses.New(ctx, params(input(long(2000))))
	var failure *openai.Error
	if !errors.As(err, &failure) || failure.StatusCode != 400 ||
		failure.Code != "context_length_exceeded" || failure.Param != "input" {
		t.Errorf("too long: %v", err)
	}
	for retry, want := range map[string]int{"true": 2, "false": 1} {
		tries = 0
		_, err = c.Responses.New(ctx, params(input("x")), option.WithHeader("X-Try", retry))
		if !errors.As(err, &failure) || failure.StatusCode != 429 || tries != want {
			t.Errorf("x-should-retry %s: %d tries, want %d: %v", retry, tries, want, err)
		}
	}
}

func TestSDKWebSocket(t *testing.T) {
	s := start(t, Config{})
	c, ctx := client(t, s)
	conn, err := c.Responses.Connect(ctx, responses.ResponseConnectionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Abort()
	const message = `{"type":"response.create","response":{}}`
	if err := conn.SendRaw(ctx, []byte(message)); err != nil {
		t.Fatal(err)
	}
	if echo, err := conn.RecvRaw(ctx); err != nil || string(echo) != message {
		t.Errorf("got %s, %v; want the message back", echo, err)
	}
}
