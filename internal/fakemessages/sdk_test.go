//go:build !race

// Left out under the race detector: compiling the SDK for it takes minutes.

package fakemessages

import (
	"errors"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"killick/internal/fakemessages/request"
)

func client(s *Server) anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(s.URL()), option.WithAPIKey("sk-one"),
		option.WithMaxRetries(0))
}

// Anthropic's own client reads what the server answers, and sends it back so that it is accepted:
// whole and as a stream, with thinking that is checked.
func TestAnthropicsClient(t *testing.T) {
	s := start(t, Config{Keys: []string{"sk-one"}, Reply: func(r *Request) Reply {
		if len(r.Messages) < 6 {
			return Reply{Blocks: []Content{Thinking("hm"), Text("Reading."),
				Call("", "read", `{"path":"a.go"}`)}}
		}
		return Reply{Blocks: []Content{Text("Done.")}}
	}})
	c := client(s)
	params := anthropic.BetaMessageNewParams{
		Model: anthropic.Model(checks), MaxTokens: 4096,
		System: []anthropic.BetaTextBlockParam{{Text: "be brief",
			CacheControl: anthropic.NewBetaCacheControlEphemeralParam()}},
		Tools: []anthropic.BetaToolUnionParam{{OfTool: &anthropic.BetaToolParam{Name: "read",
			InputSchema: anthropic.BetaToolInputSchemaParam{
				Properties: map[string]any{"path": map[string]any{"type": "string"}}}}}},
		Betas: []anthropic.AnthropicBeta{request.BetaBinding},
		Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(
			anthropic.NewBetaTextBlock("hello"))},
	}
	for turn := 0; ; turn++ {
		m := messageOf(t, c, params, turn%2 == 1)
		if m.StopReason == anthropic.BetaStopReasonEndTurn {
			break
		}
		if len(m.Content) != 3 || m.Content[0].Type != "thinking" || m.Content[0].Signature == "" ||
			m.Usage.InputTokens == 0 || len(m.InputTransformations) != 0 {
			t.Fatalf("turn %d: %s", turn, m.RawJSON())
		}
		params.Messages = append(params.Messages, m.ToParam(), anthropic.NewBetaUserMessage(
			anthropic.NewBetaToolResultBlock(m.Content[2].ID, "package a", false)))
	}
	if len(params.Messages) != 7 {
		t.Errorf("%d messages, want 7", len(params.Messages))
	}
	// The client reads the refusal as well.
	params.System[0].Text = "be terse"
	_, err := c.Beta.Messages.New(t.Context(), params)
	var e *anthropic.Error
	if !errors.As(err, &e) || e.StatusCode != 400 || e.RequestID == "" {
		t.Errorf("a changed system prompt: %v, want 400 and the request's id", err)
	}
	n, err := c.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{
		Model: anthropic.Model(newer), Messages: []anthropic.MessageParam{
			anthropic.NewUserMessage(anthropic.NewTextBlock("hello"))}})
	if err != nil || n.InputTokens == 0 {
		t.Errorf("counting: %v, %v", n, err)
	}
}

// messageOf asks for one message, whole or as a stream.
func messageOf(t *testing.T, c anthropic.Client, params anthropic.BetaMessageNewParams,
	streamed bool) (m *anthropic.BetaMessage) {
	t.Helper()
	var err error
	if !streamed {
		if m, err = c.Beta.Messages.New(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		return m
	}
	m = &anthropic.BetaMessage{}
	stream := c.Beta.Messages.NewStreaming(t.Context(), params)
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}
