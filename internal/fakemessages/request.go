package fakemessages

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

	fields   object
	model    Model
	thinking thinking
	marks    []*mark // in prefix order
	counting bool    // for count_tokens
	summary  bool    // compaction of type summarize was asked for
	frames   bool    // a stream is in Amazon's frames
}

// Message is one message as it was sent.
type Message struct {
	Role   string
	Blocks []*Block // content that is a string is one text block

	fields object
}

// Block is a content block, a block of the system prompt or a tool.
type Block struct {
	Type      string
	Text      string // of text and thinking blocks
	ID        string // of tool_use and server_tool_use blocks
	ToolUseID string // of results
	Name      string // of tools and their calls

	path    string // as errors name it
	fields  object // without cache_control and what is null
	marks   []*mark
	bare    bool // of content that was a string
	dropped bool // thinking that the model does not see
}

// Turn is a run of messages of one role, which the API takes as one.
type Turn struct {
	Role   string
	Blocks []*Block

	settings object // of a message of role system, besides its content
}

// Turns returns the messages with those of one role merged. Messages of role system stand alone.
func (r *Request) Turns() []Turn { return merge(r.Messages) }

func merge(messages []*Message) (turns []Turn) {
	for _, m := range messages {
		if n := len(turns); n > 0 && turns[n-1].Role == m.Role && m.Role != roleSystem {
			turns[n-1].Blocks = slices.Concat(turns[n-1].Blocks, m.Blocks)
			continue
		}
		turn := Turn{Role: m.Role, Blocks: m.Blocks}
		if m.Role == roleSystem {
			turn.settings = m.fields.without("content")
		}
		turns = append(turns, turn)
	}
	return turns
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
)

// isThinking reports whether the block is one that the model reasons in.
func (b *Block) isThinking() bool {
	return b.Type == typeThinking || b.Type == typeRedacted
}

// isServerResult reports whether the block is the result of a tool that the API runs.
func (b *Block) isServerResult() bool {
	return strings.HasSuffix(b.Type, "_tool_result") && b.Type != "mcp_tool_result"
}

// parse reads a request and refuses what the API refuses before it looks at signatures.
func (s *Server) parse(
	body []byte, header http.Header, counting bool, on cloud,
) (*Request, *apiError) {
	v, err := decode(body)
	if err != nil {
		return nil, invalid("The request body is not valid JSON: %s",
			strings.TrimPrefix(err.Error(), "decoding JSON: "))
	}
	fields, ok := v.(object)
	if !ok {
		return nil, invalid("Input should be a valid dictionary")
	}
	r := &Request{Body: body, Betas: append(betas(header), fields.texts("anthropic_beta")...),
		counting: counting, frames: on.byPath}
	var refused *apiError
	if r.fields, refused = on.fields(fields); refused != nil {
		return nil, refused
	}
	r.Model = r.fields.text("model")
	for _, check := range []func() *apiError{
		r.checkFields, r.readMaxTokens, r.readTools, r.readSystem, r.readMessages,
	} {
		if e := check(); e != nil {
			return nil, e
		}
	}
	if r.model, ok = s.model(r.Model); !ok {
		return nil, &apiError{status: http.StatusNotFound, typ: "not_found_error",
			message: "model: " + r.Model}
	}
	for _, check := range []func() *apiError{
		r.readThinking, r.checkRoles, r.checkPairs, r.checkServerTools, r.checkMarks,
		r.checkMarksOfCode, r.checkToolChoice, r.checkCompaction, r.checkManualThinking,
	} {
		if e := check(); e != nil {
			return nil, e
		}
	}
	return r, nil
}

// model returns what the script or the table makes of a model.
func (s *Server) model(name string) (Model, bool) {
	if m, ok := s.cfg.Models[name]; ok {
		return m, true
	}
	return ModelNamed(name)
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

// beta reports whether one of the betas was asked for, by the start of their names.
func (r *Request) beta(names ...string) bool {
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
