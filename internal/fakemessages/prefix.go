package fakemessages

import (
	"crypto/sha256"
	"slices"
)

// prefix is what precedes a place in a conversation, as thinking is bound to it: the system prompt,
// the set of tools and the messages, by their values and not by the spelling of their JSON, without
// cache_control. Thinking is not part of it; instead each block names the one before it.
type prefix struct {
	secret     []byte
	tools      []*Block
	referenced map[string]bool // deferred tools that were asked for
	buffer     []byte

	system, toolSet [8]byte
	messages        [32]byte
	role            string // of the turn that continues, "" if none

	last   [8]byte // the thinking block before, zero if none
	inTurn bool    // it is in the turn that continues
}

func newPrefix(r *Request, secret []byte) *prefix {
	p := &prefix{secret: secret, tools: r.Tools, referenced: map[string]bool{}}
	var b []byte
	for _, block := range r.System {
		b = appendCanonical(b, block.fields, true)
	}
	p.system = shortHash(b)
	p.hashTools()
	return p
}

// hashTools hashes the set of tools, without those that are deferred until something asks for them.
func (p *prefix) hashTools() {
	var set []string
	for _, t := range p.tools {
		deferred, _ := t.fields.get("defer_loading")
		if deferred != true || p.referenced[t.Name] {
			set = append(set, string(appendCanonical(nil, t.fields, true)))
		}
	}
	slices.Sort(set)
	var b []byte
	for _, t := range set {
		b = appendCanonical(b, t, true)
	}
	p.toolSet = shortHash(b)
}

// enter begins a turn, unless it goes on with the role of the one before.
func (p *prefix) enter(role string) {
	if role == p.role && role != roleSystem {
		return
	}
	p.role, p.inTurn = role, false
	p.add([]byte("role " + role))
}

func (p *prefix) add(b []byte) { p.messages = chained(p.messages, b) }

// chained is the hash of what was hashed to key and of b after it.
func chained(key [32]byte, b []byte) (next [32]byte) {
	h := sha256.New()
	h.Write(key[:])
	h.Write(b)
	h.Sum(next[:0])
	return next
}

// addBlock goes past a block that is not thinking.
func (p *prefix) addBlock(fields object) {
	p.buffer = appendCanonical(p.buffer[:0], fields, true)
	p.add(p.buffer)
	if len(p.tools) > 0 && p.reference(fields) {
		p.hashTools()
	}
}

// addThinking goes past a thinking block that stays.
func (p *prefix) addThinking(id [8]byte) { p.last, p.inTurn = id, true }

// reference notes the tools that a block asks for, and reports whether there is a new one.
func (p *prefix) reference(v any) (found bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			found = p.reference(e) || found
		}
	case object:
		name := ""
		switch v.text("type") {
		case "tool_addition":
			name = v.object("tool").text("name")
		case "tool_reference":
			name = v.text("tool_name")
		case typeToolResult, "tool_search_tool_result", "tool_search_tool_search_result":
			for _, m := range v {
				found = p.reference(m.value) || found
			}
		}
		if name != "" && !p.referenced[name] {
			p.referenced[name], found = true, true
		}
	}
	return found
}

// sign returns the signature of a thinking block with a text that stands here, and goes past it.
func (p *prefix) sign(kind byte, model, text string) string {
	d := signed{kind: kind, inTurn: p.inTurn, system: p.system, tools: p.toolSet,
		prefix: p.messages, prev: p.last, text: shortHash([]byte(text)), model: model}
	signature := d.encode(p.secret)
	p.addThinking(d.id)
	return signature
}
