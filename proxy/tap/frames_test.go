package tap

import (
	"strings"
	"testing"

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

func TestTapReadsAmazonsFrames(t *testing.T) {
	for _, coding := range codingtest.Codings {
		for _, piece := range []int{1, 3, 11, 64, 1 << 20} {
			s := tappedIn(format.Messages, header(frames.Media, coding),
				codingtest.Encode(coding, onBedrock()), piece)
			if s.usage.PromptTokens != 3 || s.usage.CachedTokens != 2 ||
				s.usage.CompletionTokens != 7 || s.full != 1 {
				t.Errorf("%q in pieces of %d: %+v", coding, piece, *s)
			}
		}
	}
}
