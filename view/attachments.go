package view

import (
	"bytes"
	"cmp"
	"strings"

	"killick/rawjson"
)

// Attachment is an image, a document, a search result or another file in the content of a message.
type Attachment struct {
	// Type is its media type, such as "image/png", or else its kind, such as "image". No other text
	// is one, whatever a client puts there.
	Type string
	Name string // its name or title, or else its address or id; "" if none is given
}

// Attachments returns the images, documents, search results and files of a message, in order.
func (m *Message) Attachments() (list []Attachment) {
	for part := range m.Parts() {
		if part.Text != nil {
			continue
		}
		if a := part.attachment(); a.Type != "" {
			list = append(list, a)
		}
	}
	return list
}

// attachment returns what the part attaches. Its Type is "" if it attaches nothing, as reasoning.
func (p *Part) attachment() (a Attachment) {
	switch p.Type {
	case "image_url", "input_image": // of chat completions, of the Responses API
		at := p.Raw.Get("image_url")
		if url := at.Get("url"); url != nil {
			at = url
		}
		return Attachment{Type: dataType(at, "image")}
	case "input_audio":
		return Attachment{Type: "audio"}
	case "file", "input_file":
		in := p.Raw
		if file := in.Get("file"); file != nil {
			in = file
		}
		of := in.GetEach("file_data", "filename", "file_id", "file_url")
		return Attachment{Type: dataType(of[0], "file"),
			Name: cmp.Or(of[1].Text(), of[2].Text(), of[3].Text())}
	case "inlineData": // of Gemini, whichever of the two it is
		for _, name := range []string{"inlineData", "inline_data", "fileData", "file_data"} {
			if in := p.Raw.Get(name); in != nil {
				of := in.GetEach("mimeType", "mime_type", "displayName")
				return Attachment{Name: of[2].Text(),
					Type: mediaType(cmp.Or(of[0].Text(), of[1].Text()), "file")}
			}
		}
	case "image", "document", "video", "audio":
		in := p.Raw.Get(p.Type) // of Converse
		if in.Kind() == rawjson.Object {
			of := in.GetEach("format", "name")
			return Attachment{Type: mediaType(p.Type+"/"+of[0].Text(), p.Type), Name: of[1].Text()}
		}
		if p.Raw.Kind() != rawjson.Object { // of Ollama
			return Attachment{Type: p.Type}
		}
		of := p.Raw.GetEach("source", "title", "mimeType")
		from := of[0].GetEach("media_type", "url", "file_id")
		return Attachment{Name: cmp.Or(of[1].Text(), from[1].Text(), from[2].Text()),
			Type: mediaType(cmp.Or(from[0].Text(), of[2].Text()), p.Type)}
	case "search_result", "searchResult": // of the Messages API, of Converse
		in := p.Raw
		if result := in.Get(p.Type); result != nil {
			in = result
		}
		of := in.GetEach("title", "source")
		a = Attachment{Type: "search result", Name: cmp.Or(of[0].Text(), of[1].Text())}
		if of[0].Text() != "" && of[1].Text() != "" {
			a.Name += "; " + of[1].Text()
		}
		return a
	}
	return Attachment{}
}

// dataType returns the media type of a data: URL, kind if the value is none.
func dataType(url rawjson.Value, kind string) string {
	rest, ok := bytes.CutPrefix(url.StringBody(), []byte("data:"))
	if !ok {
		return kind
	}
	end := bytes.IndexAny(rest, ";,")
	if end <= 0 || end > maxMediaType {
		return kind
	}
	return mediaType(strings.ReplaceAll(string(rest[:end]), `\/`, "/"), kind)
}

const maxMediaType = 127

// mediaType returns a text that has the form of a media type (RFC 6838), kind if it has not.
func mediaType(text, kind string) string {
	whole, sub, ok := strings.Cut(text, "/")
	if !ok || len(text) > maxMediaType || !restrictedName(whole) || !restrictedName(sub) {
		return kind
	}
	return text
}

// restrictedName reports whether a text is a restricted-name of RFC 6838.
func restrictedName(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !alnum && (i == 0 || strings.IndexByte("!#$&-^_.+", c) < 0) {
			return false
		}
	}
	return s != ""
}
