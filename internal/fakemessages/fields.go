package fakemessages

import (
	"fmt"
	"slices"
)

// The members of requests that need no beta: anthropic-sdk-go, MessageNewParams and
// MessageCountTokensParams. The numbers are those that token counting takes too.
var fieldsOfRequests = []string{
	"model", "messages", "system", "tools", "tool_choice", "thinking", "cache_control",
	"output_config", "speed",
	"max_tokens", "stream", "metadata", "stop_sequences", "temperature", "top_k", "top_p",
	"container", "service_tier", "inference_geo", "diagnostics",
}

// alsoCounted is how many of them token counting takes.
const alsoCounted = 9

// fieldsOfBetas are the members that need a beta, and the betas by the start of their names
// (anthropic-sdk-go, BetaMessageNewParams and AnthropicBeta). Token counting takes those of the
// first four.
var fieldsOfBetas = map[string][]string{
	"context_management":    {"context-management-", "compact-2026-01-12"},
	"compaction":            {betaCompaction},
	"mcp_servers":           {"mcp-client-"},
	"output_format":         {"structured-outputs-"},
	"fallbacks":             {"server-side-fallback-"},
	"fallback_credit_token": {"fallback-credit-"},
}

var countedBetas = []string{"context_management", "compaction", "mcp_servers", "output_format"}

// The betas that change what is checked.
const (
	betaBinding    = "thinking-binding-controls-2026-08-01"
	betaCompaction = "compact-2026-09-04"
	betaClearAt    = "mid-conversation-system-clear-at-"
)

// checkFields refuses members that the API does not know, and lacking ones that it needs.
func (r *Request) checkFields() *apiError {
	known := fieldsOfRequests
	if r.counting {
		known = known[:alsoCounted]
	}
	for _, m := range r.fields {
		needs, isBeta := fieldsOfBetas[m.name]
		switch {
		case slices.Contains(known, m.name):
		case isBeta && r.beta(needs...) && (!r.counting || slices.Contains(countedBetas, m.name)):
		case m.name == "compaction" && !r.counting:
			return invalid("`compaction` requires anthropic-beta: %s", betaCompaction)
		default:
			return extra(m.name)
		}
	}
	for _, name := range []string{"model", "messages"} {
		if v, _ := r.fields.get(name); v == nil {
			return required(name)
		}
	}
	if v, _ := r.fields.get("model"); !isString(v) {
		return invalid("model: Input should be a valid string")
	}
	v, _ := r.fields.get("stream")
	r.Stream, _ = v.(bool)
	r.summary = r.fields.object("compaction").text("type") == "summarize"
	return nil
}

func (r *Request) readMaxTokens() *apiError {
	if r.counting {
		return nil
	}
	v, _ := r.fields.get("max_tokens")
	n, ok := integer(v)
	switch {
	case v == nil:
		return required("max_tokens")
	case !ok:
		return invalid("max_tokens: Input should be a valid integer")
	case n < 0:
		return invalid("max_tokens: Input should be greater than or equal to 0")
	}
	r.MaxTokens = n
	return nil
}

// fieldsOfBlocks are the members of each type of block besides type (anthropic-sdk-go,
// BetaContentBlockParamUnion). cache_control is listed where it is allowed: not on thinking.
var fieldsOfBlocks = map[string][]string{
	typeText:           {"text", "citations", cacheControl},
	"image":            {"source", "transformations", cacheControl},
	"document":         {"source", "context", "title", "citations", cacheControl},
	"search_result":    {"content", "source", "title", "citations", cacheControl},
	typeThinking:       {"signature", "thinking"},
	typeRedacted:       {"data"},
	typeToolUse:        {"id", "input", "name", "toolset_name", "caller", cacheControl},
	typeToolResult:     {"tool_use_id", "toolset_name", "is_error", "content", cacheControl},
	typeServerToolUse:  {"id", "input", "name", "caller", cacheControl},
	"mcp_tool_use":     {"id", "input", "name", "server_name", cacheControl},
	"mcp_tool_result":  {"tool_use_id", "is_error", "content", cacheControl},
	"mcp_tool_listing": {"mcp_server_name", "tools"},
	"container_upload": {"file_id", cacheControl},
	typeCompaction: {"content", "encrypted_content", "signature", "tool_changes",
		cacheControl},
	"tool_addition":          {"tool", cacheControl},
	"tool_removal":           {"tool", cacheControl},
	"tool_reference":         {"tool_name", cacheControl},
	"fallback":               {"from", "to", "trigger"},
	"advisor_tool_result":    {"content", "tool_use_id", cacheControl},
	"web_search_tool_result": {"content", "tool_use_id", "caller", cacheControl},
	"web_fetch_tool_result":  {"content", "tool_use_id", "caller", cacheControl},

	"code_execution_tool_result":             {"content", "tool_use_id", cacheControl},
	"bash_code_execution_tool_result":        {"content", "tool_use_id", cacheControl},
	"text_editor_code_execution_tool_result": {"content", "tool_use_id", cacheControl},
	"tool_search_tool_result":                {"content", "tool_use_id", cacheControl},
}

const (
	typeText          = "text"
	typeThinking      = "thinking"
	typeRedacted      = "redacted_thinking"
	typeToolUse       = "tool_use"
	typeToolResult    = "tool_result"
	typeServerToolUse = "server_tool_use"
	typeCompaction    = "compaction"
	cacheControl      = "cache_control"
)

// typesWithBeta are blocks that are known under a beta alone, by the start of its name.
var typesWithBeta = map[string][]string{
	typeCompaction:        {"compact-"},
	"tool_addition":       {"inline-tools-", "mid-conversation-tool-changes-"},
	"tool_removal":        {"inline-tools-", "mid-conversation-tool-changes-"},
	"mcp_tool_use":        {"mcp-client-"},
	"mcp_tool_result":     {"mcp-client-"},
	"mcp_tool_listing":    {"mcp-client-"},
	"advisor_tool_result": {"advisor-tool-"},
	"fallback":            {"server-side-fallback-"},
}

// typesInResults are the blocks that the content of a tool_result may have.
var typesInResults = []string{typeText, "image", "document", "search_result", "tool_reference"}

// needed are the members that blocks must have.
var needed = map[string][]string{
	typeText: {"text"}, "image": {"source"}, "document": {"source"},
	typeThinking: {"signature", "thinking"}, typeRedacted: {"data"},
	typeToolUse: {"id", "name", "input"}, typeServerToolUse: {"id", "name", "input"},
	typeToolResult: {"tool_use_id"}, "container_upload": {"file_id"},
	"tool_addition": {"tool"}, "tool_removal": {"tool"},
}

// readBlock reads one block. allowed are the types that may be there; nil are all.
func (r *Request) readBlock(v any, path string, allowed []string) (*Block, *apiError) {
	o, ok := v.(object)
	if !ok {
		return nil, invalid("%s: Input should be a valid dictionary", path)
	}
	typ := o.text("type")
	if tag, _ := o.get("type"); tag == nil {
		return nil, required(path + ".type")
	}
	known, ok := fieldsOfBlocks[typ]
	if needs := typesWithBeta[typ]; needs != nil && !r.beta(needs...) {
		ok = false
	}
	if !ok || allowed != nil && !slices.Contains(allowed, typ) {
		return nil, invalid("%s: Input tag '%s' found using 'type' does not match any of the "+
			"expected tags: %s", path, typ, tags(allowed))
	}
	at := path + "." + typ
	for _, m := range o {
		if m.name != "type" && !slices.Contains(known, m.name) {
			return nil, extra(at + "." + m.name)
		}
	}
	for _, name := range needed[typ] {
		if v, _ := o.get(name); v == nil {
			return nil, required(at + "." + name)
		}
	}
	b := &Block{Type: typ, path: path, Name: o.text("name"), ID: o.text("id"),
		ToolUseID: o.text("tool_use_id"), fields: o.without(cacheControl)}
	if typ == typeText || typ == typeThinking {
		v, _ := o.get(typ)
		if b.Text, ok = v.(string); !ok {
			return nil, invalid("%s.%s: Input should be a valid string", at, typ)
		}
	}
	own, e := readMark(o, path)
	if e != nil {
		return nil, e
	}
	if own != nil {
		b.marks = []*mark{own}
	}
	return b, r.readInside(b, at)
}

// readInside checks what a block holds.
func (r *Request) readInside(b *Block, at string) *apiError {
	switch b.Type {
	case typeText:
		if b.Text == "" && len(b.marks) > 0 {
			return invalid("%s: cache_control cannot be set for empty text blocks", at)
		}
	case typeToolUse, typeServerToolUse:
		input, _ := b.fields.get("input")
		o, ok := input.(object)
		if !ok {
			return invalid("%s.input: Input should be a valid dictionary", at)
		}
		if !idPattern.MatchString(b.ID) {
			return invalid("%s.id: String should match pattern '%s'", at, idPattern)
		}
		// An emptied input is refused (headroom#2438); the wording is ours.
		if b.Type == typeServerToolUse && len(o) == 0 {
			return required(at + ".input." + "query")
		}
	case typeToolResult:
		return r.readResult(b, at)
	}
	return nil
}

// readResult reads the content of a tool_result. A mark inside counts for the block.
func (r *Request) readResult(b *Block, at string) *apiError {
	content, _ := b.fields.get("content")
	switch content := content.(type) {
	case nil, string:
		return nil
	case []any:
		inside := make([]any, 0, len(content))
		for k, v := range content {
			path := fmt.Sprintf("%s.content.%d", b.path, k)
			part, e := r.readBlock(v, path, typesInResults)
			if e != nil {
				return e
			}
			if part.Type == typeText && part.Text == "" {
				return invalid("messages: text content blocks must be non-empty")
			}
			b.marks = append(part.marks, b.marks...)
			inside = append(inside, part.fields)
		}
		b.fields = append(b.fields.without("content"), member{"content", inside})
		return nil
	}
	return invalid("%s.content: Input should be a valid string or a list of blocks", at)
}
