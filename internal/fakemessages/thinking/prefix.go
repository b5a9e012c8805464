package thinking

import (
	"crypto/sha256"
	"slices"

	"killick/internal/fakemessages/jsontree"
	"killick/internal/fakemessages/request"
)

// Prefix is what precedes a place in a conversation, as thinking is bound to it: the system prompt,
// the set of tools and the messages, by their values and not by the spelling of their JSON, without
// cache_control. Thinking is not part of it; instead each block names the one before it.
type Prefix struct {
	tools      []*request.Block
	referenced map[string]bool // deferred tools that were asked for
	buffer     []byte

	system, toolSet [8]byte
	messages        [32]byte
	role            string // of the turn that continues, "" if none

	last   [8]byte // the thinking block before, zero if none
	inTurn bool    // it is in the turn that continues
}

func newPrefix(r *request.Request) *Prefix {
	p := &Prefix{tools: r.Tools, referenced: map[string]bool{}}
	var b []byte
	for _, block := range r.System {
		b = jsontree.AppendCanonical(b, block.Fields, true)
	}
	p.system = shortHash(b)
	p.hashTools()
	return p
}

// hashTools hashes the set of tools, without those that are deferred until something asks for them.
func (p *Prefix) hashTools() {
	var set []string
	for _, t := range p.tools {
		deferred, _ := t.Fields.Get("defer_loading")
		if deferred != true || p.referenced[t.Name] {
			set = append(set, string(jsontree.AppendCanonical(nil, t.Fields, true)))
		}
	}
	slices.Sort(set)
	var b []byte
	for _, t := range set {
		b = jsontree.AppendCanonical(b, t, true)
	}
	p.toolSet = shortHash(b)
}

// Enter begins a turn, unless it goes on with the role of the one before.
func (p *Prefix) Enter(role string) {
	if role == p.role && role != request.RoleSystem {
		return
	}
	p.role, p.inTurn = role, false
	p.add([]byte("role " + role))
}

func (p *Prefix) add(b []byte) { p.messages = jsontree.Chained(p.messages, b) }

// AddBlock goes past a block that is not thinking.
func (p *Prefix) AddBlock(fields jsontree.Object) {
	p.buffer = jsontree.AppendCanonical(p.buffer[:0], fields, true)
	p.add(p.buffer)
	if len(p.tools) > 0 && p.reference(fields) {
		p.hashTools()
	}
}

// addThinking goes past a thinking block that stays.
func (p *Prefix) addThinking(id [8]byte) { p.last, p.inTurn = id, true }

// reference notes the tools that a block asks for, and reports whether there is a new one.
func (p *Prefix) reference(v any) (found bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			found = p.reference(e) || found
		}
	case jsontree.Object:
		name := ""
		switch v.Text("type") {
		case "tool_addition":
			name = v.Object("tool").Text("name")
		case "tool_reference":
			name = v.Text("tool_name")
		case request.TypeToolResult, "tool_search_tool_result", "tool_search_tool_search_result":
			for _, m := range v {
				found = p.reference(m.Value) || found
			}
		}
		if name != "" && !p.referenced[name] {
			p.referenced[name], found = true, true
		}
	}
	return found
}

// Sign returns the signature of a thinking block with a text that stands here, and goes past it.
func (p *Prefix) Sign(kind byte, model, text string) string {
	d := signed{kind: kind, inTurn: p.inTurn, system: p.system, tools: p.toolSet,
		prefix: p.messages, prev: p.last, text: shortHash([]byte(text)), model: model}
	signature := d.encode()
	p.addThinking(d.id)
	return signature
}

// SignSummary returns the signature of a summary of the messages up to here, by the model of a
// request. Thinking after it stays valid where that model preserves thinking.
func (p *Prefix) SignSummary(r *request.Request, text string) string {
	d := signed{kind: kindCompaction, prefix: p.messages, text: shortHash([]byte(text)),
		model: r.Model}
	if !r.Rules.PreservesThinking {
		d.prefix = sha256.Sum256([]byte(text))
	}
	return d.encode()
}
