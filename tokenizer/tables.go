package tokenizer

import (
	"killick/rawjson"
	"killick/tokenizer/bpe"
)

// tables is everything that counting for a model needs. It has nothing of any request.
type tables struct {
	name     uint64               // a hash of the model's name
	encoding func() *bpe.Encoding // built when it is first counted with
	images   *imageRule
	format   *format
	profile  uint64 // what the count of a message depends on beside its bytes
	bounds   *ratioBounds

	generation *generation // of a tokenizer that is estimated by factors; else nil
}

// Encoding returns the encoding that the model's text is counted in.
func (m *tables) Encoding() *bpe.Encoding { return m.encoding() }

// Text returns the number of tokens of s.
func (m *tables) Text(s string) int { return m.encoding().CountString(s) }

// Published reports whether the encoding is the model's own, so that counts are exact.
func (m *tables) Published() bool { return m.bounds == &publishedBounds }

// Factor returns the expected number of the model's tokens for one of ours in a request with this
// body, before any report: 1 if the tokenizer is published, or if nothing is known about it. It
// depends only on the text of the body, in any wire format.
func (m *tables) Factor(body []byte) float64 {
	if m.generation == nil {
		return 1
	}
	factor := 0.0
	for k, share := range shares(body) {
		factor += share * m.generation.factors[k]
	}
	return factor
}

// measured is the count of a message, as it is remembered.
type measured struct{ tokens, estimated int }

func (n *measured) add(more measured) {
	n.tokens += more.tokens
	n.estimated += more.estimated
}

func guess(n int) measured { return measured{tokens: n, estimated: n} }

func (m *tables) text(v rawjson.Value) measured {
	return measured{tokens: m.encoding().CountJSON(v.StringBody())}
}

// format is what the frame of a message costs.
//
// Source of chatML: OpenAI cookbook, "How to count tokens with tiktoken", which
// counts 3 a message, the role as text, 1 for a name and 3 for the primed
// reply; and, for calls, hmarr's openai-chat-tokens: the name, the arguments
// and 3. Source of harmony: docs/format.md of openai/harmony, where the frame
// is written out token by token.
type format struct {
	message   int // of any message
	name      int // of a name, beside its text
	reply     int // of the primed reply
	assistant int // of the channel of an assistant's message
	call      int // of one call, beside its name and arguments
	result    int // of the header of a tool's message
	system    string
	// preface is text that is in front of the instructions once.
	preface string
}

var chatML = format{message: 3, name: 1, reply: 3, call: 3}

var harmony = format{
	message: 3, // <|start|> … <|message|> … <|end|>
	name:    1, // ":"
	reply:   2, // <|start|>assistant

	assistant: 2, // <|channel|>final
	// <|start|>assistant to=functions. <|channel|>commentary <|constrain|>json<|message|> <|call|>
	call: 13,
	// functions.NAME to=assistant<|channel|>commentary; the name is not in the
	// message, so 3 for it
	result: 9,

	system: "You are ChatGPT, a large language model trained by OpenAI.\n" +
		"Knowledge cutoff: 2024-06\nCurrent date: 2025-06-28\n\nReasoning: medium\n\n" +
		"# Valid channels: analysis, commentary, final. " +
		"Channel must be included for every message.",
	preface: "# Instructions\n\n",
}
