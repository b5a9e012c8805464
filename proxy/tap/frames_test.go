package tap

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"killick/internal/fakeconverse"
	"killick/internal/fakemessages"
	"killick/proxy/coding/codingtest"
	"killick/proxy/format"
	"killick/proxy/frames"
)

// onBedrock is a stream of a model on Bedrock.
func onBedrock() string {
	var b strings.Builder
	for _, event := range []string{
		`{"type":"message_start","message":{"stop_reason":null,"usage":{"input_tokens":1,` +
			`"cache_read_input_tokens":2,"output_tokens":1}}}`,
		`{"type":"content_block_delta","delta":{"text":"\"usage\":{\"input_tokens\":9}"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},` +
			`"usage":{"output_tokens":7}}`,
		`{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":5}}`,
	} {
		b.Write(fakemessages.Frame([]byte(event)))
	}
	return b.String()
}

// overConverse is a stream of Converse.
func overConverse() string {
	var b strings.Builder
	for _, e := range []struct{ name, payload string }{
		{"messageStart", `{"role":"assistant"}`},
		{"contentBlockDelta", `{"delta":{"text":"\"usage\":{\"inputTokens\":9}"}}`},
		{"messageStop", `{"stopReason":"model_context_window_exceeded"}`},
		{"metadata", `{"metrics":{},"usage":{"inputTokens":1,"cacheReadInputTokens":2,` +
			`"outputTokens":7}}`},
	} {
		b.Write(fakeconverse.Frame("event", e.name, json.RawMessage(e.payload)))
	}
	return b.String()
}

func TestTapReadsAmazonsFrames(t *testing.T) {
	for of, stream := range map[format.Format]string{
		format.Messages: onBedrock(), format.Converse: overConverse(),
	} {
		for _, coding := range codingtest.Codings {
			for _, piece := range []int{1, 3, 11, 64, 1 << 20} {
				s := tappedIn(of, header(frames.Media, coding), codingtest.Encode(coding, stream),
					piece)
				if s.usage.PromptTokens != 3 || s.usage.CachedTokens != 2 ||
					s.usage.CompletionTokens != 7 || s.full != 1 {
					t.Errorf("%s, %q in pieces of %d: %+v", of, coding, piece, *s)
				}
			}
		}
	}
}

// A refusal in the first frame is found, and a later one is not.
func TestPeekInFrames(t *testing.T) {
	start := string(fakeconverse.Frame("event", "messageStart", map[string]string{"role": "a"}))
	refused := string(fakeconverse.Frame("exception", "validationException", map[string]string{
		"message": "Input is too long for requested model."}))
	busy := string(fakeconverse.Frame("exception", "throttlingException", map[string]string{
		"message": "Too many tokens, please wait before trying again."}))
	said := string(fakeconverse.Frame("event", "contentBlockDelta", map[string]string{
		"message": "Input is too long for requested model."}))
	for name, c := range map[string]struct {
		body    string
		refused bool
	}{
		"refused": {refused, true}, "later": {start + refused, false}, "busy": {busy, false},
		"an answer": {start, false}, "not in frames": {"no frames at all" + refused, false},
		"words of an answer": {said, false}, "nothing": {"", false},
	} {
		for _, cut := range []bool{false, true} {
			body := io.Reader(strings.NewReader(c.body))
			if cut {
				body = iotest.OneByteReader(body)
			}
			res := &http.Response{StatusCode: 200, ContentLength: -1,
				Header: http.Header{"Content-Type": {frames.Media}}, Body: io.NopCloser(body)}
			p := NewPeek(res, format.Converse)
			if got := p.Wait(t.Context()); (got != nil) != c.refused {
				t.Errorf("%s, cut %t: %+v", name, cut, got)
			}
			if all, err := io.ReadAll(p); err != nil || string(all) != c.body {
				t.Errorf("%s: gives %q, %v", name, all, err)
			}
		}
	}
}
