package tokenizer

import (
	"fmt"
	"strings"
	"testing"

	"killick/converse"
	"killick/internal/convert"
	"killick/internal/recorded"
	"killick/tokenizer/internal/corpus"
)

// TestBlocksOfConverse counts what the blocks of Converse hold, in a message and in a result.
func TestBlocksOfConverse(t *testing.T) {
	m := New(Options{}).For("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
	sealed := strings.Repeat("QUFB", 2000) // 6,000 bytes, 650 of them the seal's
	pdf := strings.Repeat("JVBE", 30_000)  // three pages
	words := m.Text("two words")
	for name, c := range map[string]struct {
		block           string
		text, estimated int
	}{
		"a text":        {`{"text":"two words"}`, words, 0},
		"a cache point": {`{"text":"two words"},{"cachePoint":{"type":"default"}}`, words, 0},
		"thinking": {`{"reasoningContent":{"reasoningText":{"text":"two words","signature":"` +
			sealed + `"}}}`, words, 0},
		"thinking that is not shown": {`{"reasoningContent":{"reasoningText":{"text":"",` +
			`"signature":"` + sealed + `"}}}`, 0, 1337},
		"redacted thinking": {`{"reasoningContent":{"redactedContent":"` + sealed + `"}}`, 0, 1337},
		"citations": {`{"citationsContent":{"content":[{"text":"two words"}],"citations":[]}}`,
			words, 0},
		"an image": {`{"image":{"format":"png","source":{"bytes":"` + pngOf(t, 1000, 1000) +
			`"}}}`, 0, 1296},
		"a linked image": {`{"image":{"format":"png","source":{"s3Location":{"uri":"u"}}}}`, 0,
			1530},
		"a document of text": {`{"document":{"name":"two words","source":{"text":"two words"}}}`,
			2 * words, 0},
		"a document of blocks": {`{"document":{"source":{"content":[{"text":"two words"}]}}}`,
			words, 0},
		"a PDF file": {`{"document":{"format":"pdf","source":{"bytes":"` + pdf + `"}}}`, 0,
			3 * (800 + 1551)},
		"a video": {`{"video":{"format":"mp4","source":{"bytes":"` +
			strings.Repeat("AAAA", 250_000) + `"}}}`, 0, 3*288 + 1},
		"a linked video": {`{"video":{"source":{"s3Location":{"uri":"u"}}}}`, 0, 60*288 + 1},
		"audio": {`{"audio":{"format":"mp3","source":{"bytes":"` +
			strings.Repeat("AAAA", 16_000) + `"}}}`, 0, 31},
	} {
		body := fmt.Sprintf(`{"messages":[{"role":"assistant","content":[%s]}]}`, c.block)
		msg := &parseAs(t, converse.Format, body).Messages()[0]
		if got := m.Message(msg) - m.format.message - 1; got != c.text+c.estimated ||
			m.Estimated(msg) != c.estimated {
			t.Errorf("%s: %d tokens, %d of them an estimate, want %d and %d", name, got,
				m.Estimated(msg), c.text+c.estimated, c.estimated)
		}
	}
}

// Tools, instructions and a forced choice count as in chat. A cache point among them is no tool.
func TestToolsOfConverse(t *testing.T) {
	m := New(Options{}).For("amazon.nova-pro-v1:0")
	const schema = `{"type":"object","properties":{"path":{"type":"string"}}}`
	chat := parse(t, `{"messages":[{"role":"system","content":"Be brief."}],"tools":[{"type":`+
		`"function","function":{"name":"read","description":"Reads.","parameters":`+schema+`}}],`+
		`"tool_choice":{"type":"function","function":{"name":"read"}}}`)
	req := parseAs(t, converse.Format, `{"messages":[],"system":[{"text":"Be brief."},`+
		`{"cachePoint":{"type":"default"}}],"toolConfig":{"toolChoice":{"tool":{"name":"read"}},`+
		`"tools":[{"toolSpec":{"name":"read","description":"Reads.","inputSchema":{"json":`+
		schema+`}}},{"cachePoint":{"type":"default"}}]}}`)
	const ofPoint = 3 // an empty object and a line feed
	if got, want := m.Request(req).Total, m.Request(chat).Total; got < want ||
		got > want+ofPoint {
		t.Errorf("%d tokens, as chat %d", got, want)
	}
}

// A recorded conversation counts nearly the same as in chat.
func TestRecordedAsConverse(t *testing.T) {
	corpus.Sequential(t)
	m := New(Options{}).For("gpt-4o")
	for _, c := range recorded.Some(t, 1, 4) {
		body := c.Body(`"model":"gpt-4o"`, len(c.Messages))
		b, err := convert.Converse(body)
		if err != nil {
			continue // the API has no form for it
		}
		want := m.Request(parse(t, string(body))).Total
		got := m.Request(parseAs(t, converse.Format, string(b))).Total
		if diff := float64(got-want) / float64(want); diff > 0.02 || diff < -0.02 {
			t.Errorf("%s: %d tokens, as chat %d", c.ID, got, want)
		}
	}
}

// The tokenizers of models on Bedrock are those of the same models elsewhere.
func TestGenerationsOnBedrock(t *testing.T) {
	for model, same := range map[string]string{
		"us.anthropic.claude-opus-5-5-v1:0":         "claude-opus-5-5",
		"anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
		"us.deepseek.r1-v1:0":                       "deepseek-chat",
		"us.meta.llama3-3-70b-instruct-v1:0":        "llama-3.3-70b",
		"qwen.qwen3-coder-480b-a35b-v1:0":           "qwen3",
		"mistral.mistral-large-2407-v1:0":           "mistral-large",
		"amazon.nova-pro-v1:0":                      "nobody",
		"v1.llama3":                                 "nobody",
	} {
		if generationOf(model) != generationOf(same) {
			t.Errorf("%s is not counted as %s", model, same)
		}
	}
}
