package tokenizer

import (
	"bytes"

	"killick/rawjson"
	"killick/view"
	"killick/view/marks"
)

// part counts one part of a content. What is not text is estimated.
func (m *tables) part(p view.Part) measured {
	if p.Text != nil {
		return m.text(p.Text)
	}
	if block, ok := ofBedrock(p); ok {
		return m.bedrock(p.Type, block)
	}
	switch p.Type {
	case "image_url", "input_image", "image", "image_generation_call":
		return guess(m.image(p.Raw))
	case "thought":
		return m.text(p.Raw.Get("text"))
	case "inlineData":
		return guess(googleMedia(p))
	case "input_audio":
		return guess(audioTokens(p.Raw))
	case "file", "input_file":
		return guess(m.file(p.Raw))
	case "document":
		return m.document(p.Raw, 0)
	case "thinking":
		if p.Raw.Kind() == rawjson.String { // Ollama's
			return m.text(p.Raw)
		}
		// The text is absent where the request asked not to show it: then the signature has it.
		if text := p.Raw.Get("thinking"); len(text.StringBody()) > 0 {
			return m.text(text)
		}
		return guess(sealedTokens(p.Raw.Get("signature")))
	case "redacted_thinking":
		return guess(sealedTokens(p.Raw.Get("data")))
	case "reasoning":
		return m.reasoning(p.Raw)
	case "compaction":
		if text := p.Raw.Get("content"); len(text.StringBody()) > 0 {
			return m.text(text)
		}
		return guess(sealedTokens(p.Raw.Get("encrypted_content")))
	}
	return m.json(p.Raw, 0)
}

// reasoning counts what a model thought. Of what is encrypted only the length is known; a summary
// stands for what is not there, and is not shown to the model beside what is.
func (m *tables) reasoning(item rawjson.Value) (n measured) {
	if sealed := item.Get("encrypted_content"); len(sealed.StringBody()) > 0 {
		return guess(sealedTokens(sealed))
	}
	for _, name := range []string{"content", "summary"} {
		for part := range item.Get(name).Elements() {
			n.add(m.text(part.Get("text")))
		}
		if n.tokens > 0 {
			return n
		}
	}
	return n
}

// document counts a document so many levels deep in a value: a text, a list of blocks, or a PDF
// file.
func (m *tables) document(block rawjson.Value, depth int) (n measured) {
	for _, name := range []string{"title", "context"} {
		n.add(m.text(block.Get(name)))
	}
	source := block.Get("source")
	content := source.Get("content")
	switch typ := source.Get("type"); {
	case typ.Is("text"):
		n.add(m.text(source.Get("data")))
	case content.Kind() == rawjson.String:
		n.add(m.text(content))
	case content.Kind() == rawjson.Array:
		for part := range content.Elements() {
			if text := part.Get("text"); text.Kind() == rawjson.String {
				n.add(m.text(text))
			} else {
				n.add(m.json(part, depth+1))
			}
		}
	default:
		n.add(guess(m.pages(source.Get("data"))))
	}
	return n
}

// json counts a value of a kind without a rule: its JSON as text, without cache marks, plus an
// estimate of what in it is not text. What is nested deeper than maxDepth is counted as text: each
// level reads again what is below it.
func (m *tables) json(raw rawjson.Value, depth int) measured {
	if depth > maxDepth || !mayHoldMore(raw) {
		return measured{tokens: m.encoding().Count(raw)}
	}
	r := rest{model: m, depth: depth}
	r.value(raw)
	r.add(measured{tokens: m.encoding().Count(r.text)})
	return r.measured
}

// moreNames begin the names of members that are not text, or contain something that is not.
var moreNames = [...][]byte{
	[]byte(`"encrypted_`), []byte(`"signature"`), []byte(`"source"`), []byte(`"data:`),
}

func mayHoldMore(raw []byte) bool {
	if marks.MayBeIn(raw) {
		return true
	}
	for _, name := range moreNames {
		if bytes.Contains(raw, name) {
			return true
		}
	}
	return false
}

// rest is a value without what in it is not text, and what that is estimated at.
type rest struct {
	measured
	model *tables
	text  []byte
	depth int // of the value that is read
}

func (r *rest) value(v rawjson.Value) {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		r.text = append(r.text, v...)
		return
	}
	switch v.Kind() {
	case rawjson.Object:
		r.object(v)
	case rawjson.Array:
		r.text = append(r.text, '[')
		for el := range v.Elements() {
			r.value(el)
			r.text = append(r.text, ',')
		}
		r.text = append(r.text, ']')
	case rawjson.String:
		if bytes.HasPrefix(v.StringBody(), []byte("data:")) {
			width, height := imageSize(v)
			r.add(guess(min(r.model.images.tokens(width, height, ""), len(v))))
			return
		}
		r.text = append(r.text, v...)
	default:
		r.text = append(r.text, v...)
	}
}

func (r *rest) object(v rawjson.Value) {
	if source := v.Get("source"); source.Kind() == rawjson.Object {
		switch typ := v.Get("type"); {
		case typ.Is("image"):
			r.add(guess(r.model.image(v)))
			return
		case typ.Is("document"):
			r.add(r.model.document(v, r.depth))
			return
		}
	}
	r.text = append(r.text, '{')
	for key, member := range v.Members() {
		name := key.Text()
		switch {
		case marks.Is(key):
		case name == "signature" || len(name) > 10 && name[:10] == "encrypted_":
			r.add(guess(sealedTokens(member)))
		default:
			r.text = append(append(r.text, key...), ':')
			r.value(member)
			r.text = append(r.text, ',')
		}
	}
	r.text = append(r.text, '}')
}
