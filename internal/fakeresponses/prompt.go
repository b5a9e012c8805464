package fakeresponses

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"killick/internal/fakeserver"
)

// What a model is charged for an item besides its text, for an image and for a file.
const (
	tokensOfItem  = 4
	tokensOfImage = 765
	tokensOfFile  = 1000
)

// prompt returns what the model sees of a request. prompt_cache_diagnostics of openai-go v3.95.0
// names what the head must hold: the cache misses when the model, the key, the tools, the format of
// the text, the effort, the verbosity or the service tier differ.
func (s *Server) prompt(r *Request) prompt {
	body := r.Body
	text, ttl := body.Object("text"), lifetime(body.Object("prompt_cache_options").Text("ttl"))
	p := prompt{head: []string{r.organization, r.Model, body.Text("prompt_cache_key"),
		canonical(body["tools"]), canonical(text["format"]), text.Text("verbosity"),
		body.Object("reasoning").Text("effort"), body.Text("service_tier")}}
	for _, name := range []any{body["tools"], text["format"]} {
		if name != nil {
			p.fixed += s.tokens(r.Model, canonical(name))
		}
	}
	if instructions := body.Text("instructions"); instructions != "" {
		p.add(segment{content: []byte(instructions), item: -1,
			tokens: tokensOfItem + s.tokens(r.Model, instructions)})
	}
	for i, item := range visible(r.Items) {
		if item != nil {
			for _, part := range s.segments(r, item, ttl) {
				part.item = i
				p.add(part)
			}
		}
	}
	p.tokens += p.fixed
	return p
}

func (p *prompt) add(s segment) {
	p.segments = append(p.segments, s)
	p.tokens += s.tokens
}

// visible returns the items that the model sees, nil in place of those that it does not: of what
// precedes the newest compaction item, messages that are not the assistant's alone.
func visible(items []Object) []Object {
	newest := 0
	for i, item := range items {
		if item.Text("type") == "compaction" {
			newest = i
		}
	}
	seen := slices.Clone(items)
	for i, item := range items {
		spoken := item.Text("type") == "message" && item.Text("role") != "assistant"
		if item.Text("type") == "compaction_trigger" || i < newest && !spoken {
			seen[i] = nil
		}
	}
	return seen
}

// segments cuts an item after each of its parts. A text counts as a part of it, and ids are not
// seen by the model.
func (s *Server) segments(r *Request, item Object, ttl time.Duration) []segment {
	typ := item.Text("type")
	list := "content"
	if isOutput(typ) {
		list = "output"
	}
	parts, _ := item[list].([]any)
	if text, ok := item[list].(string); ok && (typ == "message" || isOutput(typ)) {
		parts = []any{Object{"type": "text", "text": text}}
	}
	rest := item.without("id", "status")
	if len(parts) > 0 {
		delete(rest, list)
	}
	tokens := tokensOfItem + s.tokensOf(r, rest)
	content := canonical(rest)
	if len(parts) == 0 {
		return []segment{{content: []byte(content), tokens: tokens, managed: isOutput(typ)}}
	}
	segments := make([]segment, len(parts))
	for i, v := range parts {
		part := asObject(v)
		mark := part.Object("prompt_cache_breakpoint")
		bare := part.without("prompt_cache_breakpoint", "annotations", "logprobs")
		if bare.Has("text") {
			bare["type"] = "text"
		}
		segments[i] = segment{content: []byte(content + canonical(bare)),
			tokens: tokens + s.tokensOf(r, bare), marked: mark != nil, ttl: ttl}
		if own := mark.Text("ttl"); own != "" {
			segments[i].ttl = lifetime(own)
		}
		content, tokens = "", 0
	}
	last := &segments[len(segments)-1]
	last.managed = isOutput(typ) || typ == "message" && item.Text("role") == "user"
	last.ttl = max(last.ttl, ttl)
	return segments
}

// silent are members that cost nothing beyond what each item costs.
var silent = []string{"type", "role", "call_id", "detail", "phase", "encrypted_content",
	"file_id", "caller", "filename"}

// tokensOf counts the texts of an object.
func (s *Server) tokensOf(r *Request, o Object) (n int) {
	switch o.Text("type") {
	case "input_image":
		return tokensOfImage
	case "input_file":
		return tokensOfFile
	case "reasoning", "compaction":
		content, _ := open(r.organization, o)
		n = content.Tokens
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(silent, name) {
			n += s.tokensOfValue(r, o[name])
		}
	}
	return n
}

func (s *Server) tokensOfValue(r *Request, v any) (n int) {
	switch v := v.(type) {
	case string:
		return s.tokens(r.Model, v)
	case []any:
		for _, element := range v {
			n += s.tokensOfValue(r, element)
		}
	case Object, map[string]any:
		n = s.tokensOf(r, asObject(v))
	case json.Number:
		n = 1
	}
	return n
}

// canonical encodes a value with its members in order.
func canonical(v any) string { return string(fakeserver.EncodeJSON(v)) }

// truncate leaves out whole items from the front until the prompt fits, and reports whether it
// does. The instructions stay.
func (p *prompt) truncate(window int) bool {
	for p.tokens > window {
		from := slices.IndexFunc(p.segments, func(s segment) bool { return s.item >= 0 })
		if from < 0 {
			return false
		}
		to := from
		for to < len(p.segments) && p.segments[to].item == p.segments[from].item {
			p.tokens -= p.segments[to].tokens
			to++
		}
		p.segments = slices.Delete(p.segments, from, to)
	}
	return true
}
