package fakemessages

import (
	"killick/internal/fakemessages/jsontree"
	"killick/internal/fakemessages/request"
	"killick/internal/fakeserver"
)

// textTokens counts a text.
func (s *Server) textTokens(text string) int {
	if text == "" {
		return 0
	}
	n := (len(text) + bytesPerToken - 1) / bytesPerToken
	if s.cfg.Text != nil {
		n = s.cfg.Text(text)
	}
	return n
}

// blockTokens counts a block as the model reads it. Text is counted string by string, so that the
// count of a prefix does not depend on what follows.
func (s *Server) blockTokens(b *request.Block) int {
	switch {
	case b.Dropped:
		return 0
	case b.Type == "image" || b.Type == "document" && !isPlain(b.Fields):
		return tokensOfBlock + tokensOfImage
	case b.Type == request.TypeThinking:
		return tokensOfBlock + s.textTokens(b.Text)
	case b.Type == request.TypeRedacted:
		return tokensOfBlock
	case b.Type == request.TypeText:
		return tokensOfBlock + s.textTokens(b.Text)
	case b.Type == request.TypeCompaction:
		return tokensOfBlock + s.textTokens(b.Fields.Text("content"))
	}
	n := tokensOfBlock
	for _, m := range b.Fields {
		if m.Name == "type" || m.Name == "cache_control" {
			continue
		}
		n += s.valueTokens(m.Value)
	}
	return n
}

// valueTokens counts the text in a value; an object that is not a block is one text of JSON.
func (s *Server) valueTokens(v any) int {
	switch v := v.(type) {
	case string:
		return s.textTokens(v)
	case []any:
		n := 0
		for _, e := range v {
			n += s.valueTokens(e)
		}
		return n
	case jsontree.Object:
		switch v.Text("type") {
		case "image":
			return tokensOfImage
		case request.TypeText:
			return s.textTokens(v.Text("text"))
		}
		return s.textTokens(string(fakeserver.EncodeJSON(plain(v))))
	case nil:
		return 0
	}
	return 1
}

// isPlain reports whether a document is text.
func isPlain(fields jsontree.Object) bool {
	return fields.Object("source").Text("type") == request.TypeText
}

// plain is v as encoding/json writes it.
func plain(v any) any {
	switch v := v.(type) {
	case jsontree.Object:
		m := make(map[string]any, len(v))
		for _, f := range v {
			m[f.Name] = plain(f.Value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plain(e)
		}
		return list
	}
	return v
}
