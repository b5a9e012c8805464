package request

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

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

// The roles of messages.
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

// mark is one cache_control.
type mark struct {
	Ttl   time.Duration
	path  string // of the block that it is on
	Block *Block // the block whose end it marks
}

// Thinking is the setting of the same name.
type Thinking struct {
	Typ     string // enabled, adaptive, disabled or between_tools; what the model does by default
	Budget  int    // of enabled
	display string // "" for the model's default
	Binding string // prefix_mismatch_behavior, "" if it was not set
}

// on reports whether the model thinks.
func (t Thinking) on() bool { return t.Typ == thinkEnabled || t.Typ == thinkAdaptive }

// The types of blocks that are more than passed on.
const (
	TypeText          = "text"
	TypeThinking      = "thinking"
	TypeRedacted      = "redacted_thinking"
	TypeToolUse       = "tool_use"
	TypeToolResult    = "tool_result"
	typeServerToolUse = "server_tool_use"
	TypeCompaction    = "compaction"
	CacheControl      = "cache_control"
)

// The types of the setting thinking, and what it can say of thinking whose prefix has changed.
const (
	thinkEnabled  = "enabled"
	thinkAdaptive = "adaptive"
	thinkDisabled = "disabled"
	thinkBetween  = "between_tools"

	behaviorError = "error"
	BehaviorDrop  = "drop_block"
)
