package request

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"killick/internal/fakemessages/claude"
	"killick/internal/fakemessages/jsontree"
)

// Request is a request that was accepted, for scripts to answer.
type Request struct {
	Model     string
	MaxTokens int
	Stream    bool
	System    []*Block
	Tools     []*Block // with the type and the name of each tool
	Messages  []*Message
	Betas     []string // of the header anthropic-beta, or of the body on Bedrock
	Body      []byte   // decoded

	Fields   jsontree.Object
	Rules    claude.Model
	Thinking Thinking
	Marks    []*mark // in prefix order
	counting bool    // for count_tokens
	Summary  bool    // compaction of type summarize was asked for
	Frames   bool    // a stream is in Amazon's frames
}

// Message is one message as it was sent.
type Message struct {
	Role   string
	Blocks []*Block // content that is a string is one text block

	fields jsontree.Object
}

// Block is a content block, a block of the system prompt or a tool.
type Block struct {
	Type      string
	Text      string // of text and thinking blocks
	ID        string // of tool_use and server_tool_use blocks
	ToolUseID string // of results
	Name      string // of tools and their calls

	Path    string          // as errors name it
	Fields  jsontree.Object // without cache_control and what is null
	marks   []*mark
	bare    bool // of content that was a string
	Dropped bool // thinking that the model does not see
}

// Turn is a run of messages of one role, which the API takes as one.
type Turn struct {
	Role   string
	Blocks []*Block

	Settings jsontree.Object // of a message of role system, besides its content
}

// Turns returns the messages with those of one role merged. Messages of role system stand alone.
func (r *Request) Turns() []Turn { return merge(r.Messages) }

func merge(messages []*Message) (turns []Turn) {
	for _, m := range messages {
		if n := len(turns); n > 0 && turns[n-1].Role == m.Role && m.Role != RoleSystem {
			turns[n-1].Blocks = slices.Concat(turns[n-1].Blocks, m.Blocks)
			continue
		}
		turn := Turn{Role: m.Role, Blocks: m.Blocks}
		if m.Role == RoleSystem {
			turn.Settings = m.fields.Without("content")
		}
		turns = append(turns, turn)
	}
	return turns
}

const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
)

// IsThinking reports whether the block is one that the model reasons in.
func (b *Block) IsThinking() bool {
	return b.Type == TypeThinking || b.Type == TypeRedacted
}

// isServerResult reports whether the block is the result of a tool that the API runs.
func (b *Block) isServerResult() bool {
	return strings.HasSuffix(b.Type, "_tool_result") && b.Type != "mcp_tool_result"
}

// Parse reads a request and refuses what the API refuses before it looks at signatures. models are
// those of the script.
func Parse(
	body []byte, header http.Header, counting bool, on Cloud, models map[string]claude.Model,
) (*Request, *Error) {
	v, err := jsontree.Decode(body)
	if err != nil {
		return nil, Invalid("The request body is not valid JSON: %s",
			strings.TrimPrefix(err.Error(), "decoding JSON: "))
	}
	fields, ok := v.(jsontree.Object)
	if !ok {
		return nil, Invalid("Input should be a valid dictionary")
	}
	r := &Request{Body: body, Betas: append(betas(header), fields.Texts("anthropic_beta")...),
		counting: counting, Frames: on.byPath}
	var refused *Error
	if r.Fields, refused = on.fields(fields); refused != nil {
		return nil, refused
	}
	r.Model = r.Fields.Text("model")
	for _, check := range []func() *Error{
		r.checkFields, r.readMaxTokens, r.readTools, r.readSystem, r.readMessages,
	} {
		if e := check(); e != nil {
			return nil, e
		}
	}
	if r.Rules, ok = claude.LookUp(models, r.Model); !ok {
		return nil, &Error{Status: http.StatusNotFound, Type: "not_found_error",
			Message: "model: " + r.Model}
	}
	for _, check := range []func() *Error{
		r.readThinking, r.checkRoles, r.checkPairs, r.checkServerTools, r.checkMarks,
		r.checkMarksOfCode, r.checkToolChoice, r.checkCompaction, r.checkManualThinking,
	} {
		if e := check(); e != nil {
			return nil, e
		}
	}
	return r, nil
}

// betas returns the values of the header anthropic-beta.
func betas(header http.Header) (all []string) {
	for _, line := range header.Values("Anthropic-Beta") {
		for value := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(value))
		}
	}
	return all
}

// Beta reports whether one of the betas was asked for, by the start of their names.
func (r *Request) Beta(names ...string) bool {
	return slices.ContainsFunc(r.Betas, func(value string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return strings.HasPrefix(value, name)
		})
	})
}

// integer returns a number without a fraction.
func integer(v any) (int, bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(string(number))
	return n, err == nil
}
