package request

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"killick/internal/fakemessages/jsontree"
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
	"compaction":            {BetaCompaction},
	"mcp_servers":           {"mcp-client-"},
	"output_format":         {"structured-outputs-"},
	"fallbacks":             {"server-side-fallback-"},
	"fallback_credit_token": {"fallback-credit-"},
}

var countedBetas = []string{"context_management", "compaction", "mcp_servers", "output_format"}

// The betas that change what is checked.
const (
	BetaBinding    = "thinking-binding-controls-2026-08-01"
	BetaCompaction = "compact-2026-09-04"
	betaClearAt    = "mid-conversation-system-clear-at-"
)

// checkFields refuses members that the API does not know, and lacking ones that it needs.
func (r *Request) checkFields() *Error {
	known := fieldsOfRequests
	if r.counting {
		known = known[:alsoCounted]
	}
	for _, m := range r.Fields {
		needs, isBeta := fieldsOfBetas[m.Name]
		switch {
		case slices.Contains(known, m.Name):
		case isBeta && r.Beta(needs...) && (!r.counting || slices.Contains(countedBetas, m.Name)):
		case m.Name == "compaction" && !r.counting:
			return Invalid("`compaction` requires anthropic-beta: %s", BetaCompaction)
		default:
			return extra(m.Name)
		}
	}
	for _, name := range []string{"model", "messages"} {
		if v, _ := r.Fields.Get(name); v == nil {
			return required(name)
		}
	}
	if v, _ := r.Fields.Get("model"); !jsontree.IsString(v) {
		return Invalid("model: Input should be a valid string")
	}
	v, _ := r.Fields.Get("stream")
	r.Stream, _ = v.(bool)
	r.Summary = r.Fields.Object("compaction").Text("type") == "summarize"
	return nil
}

func (r *Request) readMaxTokens() *Error {
	if r.counting {
		return nil
	}
	v, _ := r.Fields.Get("max_tokens")
	n, ok := integer(v)
	switch {
	case v == nil:
		return required("max_tokens")
	case !ok:
		return Invalid("max_tokens: Input should be a valid integer")
	case n < 0:
		return Invalid("max_tokens: Input should be greater than or equal to 0")
	}
	r.MaxTokens = n
	return nil
}

// fieldsOfBlocks are the members of each type of block besides type (anthropic-sdk-go,
// BetaContentBlockParamUnion). cache_control is listed where it is allowed: not on thinking.
var fieldsOfBlocks = map[string][]string{
	TypeText:           {"text", "citations", CacheControl},
	"image":            {"source", "transformations", CacheControl},
	"document":         {"source", "context", "title", "citations", CacheControl},
	"search_result":    {"content", "source", "title", "citations", CacheControl},
	TypeThinking:       {"signature", "thinking"},
	TypeRedacted:       {"data"},
	TypeToolUse:        {"id", "input", "name", "toolset_name", "caller", CacheControl},
	TypeToolResult:     {"tool_use_id", "toolset_name", "is_error", "content", CacheControl},
	typeServerToolUse:  {"id", "input", "name", "caller", CacheControl},
	"mcp_tool_use":     {"id", "input", "name", "server_name", CacheControl},
	"mcp_tool_result":  {"tool_use_id", "is_error", "content", CacheControl},
	"mcp_tool_listing": {"mcp_server_name", "tools"},
	"container_upload": {"file_id", CacheControl},
	TypeCompaction: {"content", "encrypted_content", "signature", "tool_changes",
		CacheControl},
	"tool_addition":          {"tool", CacheControl},
	"tool_removal":           {"tool", CacheControl},
	"tool_reference":         {"tool_name", CacheControl},
	"fallback":               {"from", "to", "trigger"},
	"advisor_tool_result":    {"content", "tool_use_id", CacheControl},
	"web_search_tool_result": {"content", "tool_use_id", "caller", CacheControl},
	"web_fetch_tool_result":  {"content", "tool_use_id", "caller", CacheControl},

	"code_execution_tool_result":             {"content", "tool_use_id", CacheControl},
	"bash_code_execution_tool_result":        {"content", "tool_use_id", CacheControl},
	"text_editor_code_execution_tool_result": {"content", "tool_use_id", CacheControl},
	"tool_search_tool_result":                {"content", "tool_use_id", CacheControl},
}

// typesWithBeta are blocks that are known under a beta alone, by the start of its name.
var typesWithBeta = map[string][]string{
	TypeCompaction:        {"compact-"},
	"tool_addition":       {"inline-tools-", "mid-conversation-tool-changes-"},
	"tool_removal":        {"inline-tools-", "mid-conversation-tool-changes-"},
	"mcp_tool_use":        {"mcp-client-"},
	"mcp_tool_result":     {"mcp-client-"},
	"mcp_tool_listing":    {"mcp-client-"},
	"advisor_tool_result": {"advisor-tool-"},
	"fallback":            {"server-side-fallback-"},
}

// typesInResults are the blocks that the content of a tool_result may have.
var typesInResults = []string{TypeText, "image", "document", "search_result", "tool_reference"}

// needed are the members that blocks must have.
var needed = map[string][]string{
	TypeText: {"text"}, "image": {"source"}, "document": {"source"},
	TypeThinking: {"signature", "thinking"}, TypeRedacted: {"data"},
	TypeToolUse: {"id", "name", "input"}, typeServerToolUse: {"id", "name", "input"},
	TypeToolResult: {"tool_use_id"}, "container_upload": {"file_id"},
	"tool_addition": {"tool"}, "tool_removal": {"tool"},
}

// readBlock reads one block. allowed are the types that may be there; nil are all.
func (r *Request) readBlock(v any, path string, allowed []string) (*Block, *Error) {
	o, ok := v.(jsontree.Object)
	if !ok {
		return nil, Invalid("%s: Input should be a valid dictionary", path)
	}
	typ := o.Text("type")
	if tag, _ := o.Get("type"); tag == nil {
		return nil, required(path + ".type")
	}
	known, ok := fieldsOfBlocks[typ]
	if needs := typesWithBeta[typ]; needs != nil && !r.Beta(needs...) {
		ok = false
	}
	if !ok || allowed != nil && !slices.Contains(allowed, typ) {
		return nil, Invalid("%s: Input tag '%s' found using 'type' does not match any of the "+
			"expected tags: %s", path, typ, tags(allowed))
	}
	at := path + "." + typ
	for _, m := range o {
		if m.Name != "type" && !slices.Contains(known, m.Name) {
			return nil, extra(at + "." + m.Name)
		}
	}
	for _, name := range needed[typ] {
		if v, _ := o.Get(name); v == nil {
			return nil, required(at + "." + name)
		}
	}
	b := &Block{Type: typ, Path: path, Name: o.Text("name"), ID: o.Text("id"),
		ToolUseID: o.Text("tool_use_id"), Fields: o.Without(CacheControl)}
	if typ == TypeText || typ == TypeThinking {
		v, _ := o.Get(typ)
		if b.Text, ok = v.(string); !ok {
			return nil, Invalid("%s.%s: Input should be a valid string", at, typ)
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
func (r *Request) readInside(b *Block, at string) *Error {
	switch b.Type {
	case TypeText:
		if b.Text == "" && len(b.marks) > 0 {
			return Invalid("%s: cache_control cannot be set for empty text blocks", at)
		}
	case TypeToolUse, typeServerToolUse:
		input, _ := b.Fields.Get("input")
		o, ok := input.(jsontree.Object)
		if !ok {
			return Invalid("%s.input: Input should be a valid dictionary", at)
		}
		if !idPattern.MatchString(b.ID) {
			return Invalid("%s.id: String should match pattern '%s'", at, idPattern)
		}
		// An emptied input is refused (headroom#2438); the wording is ours.
		if b.Type == typeServerToolUse && len(o) == 0 {
			return required(at + ".input." + "query")
		}
	case TypeToolResult:
		return r.readResult(b, at)
	}
	return nil
}

// readResult reads the content of a tool_result. A mark inside counts for the block.
func (r *Request) readResult(b *Block, at string) *Error {
	content, _ := b.Fields.Get("content")
	switch content := content.(type) {
	case nil, string:
		return nil
	case []any:
		inside := make([]any, 0, len(content))
		for k, v := range content {
			path := fmt.Sprintf("%s.content.%d", b.Path, k)
			part, e := r.readBlock(v, path, typesInResults)
			if e != nil {
				return e
			}
			if part.Type == TypeText && part.Text == "" {
				return Invalid("messages: text content blocks must be non-empty")
			}
			b.marks = append(part.marks, b.marks...)
			inside = append(inside, part.Fields)
		}
		b.Fields = append(b.Fields.Without("content"),
			jsontree.Member{Name: "content", Value: inside})
		return nil
	}
	return Invalid("%s.content: Input should be a valid string or a list of blocks", at)
}

// tags lists the types of blocks as errors do.
func tags(allowed []string) string {
	if allowed == nil {
		for typ := range fieldsOfBlocks {
			if typ != "tool_reference" {
				allowed = append(allowed, typ)
			}
		}
		slices.Sort(allowed)
	}
	quoted := make([]string, len(allowed))
	for i, typ := range allowed {
		quoted[i] = "'" + typ + "'"
	}
	return strings.Join(quoted, ", ")
}

var idPattern = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
