package convert

import (
	"bytes"

	"killick/rawjson"
)

// untyped returns the blocks of a content, which have no type, without the brackets, nothing for an
// empty one. image writes one for an image.
func untyped(
	content rawjson.Value, image func(media, data []byte) []byte,
) (blocks []byte) {
	if content.Kind() == rawjson.String {
		return textIn(`{"text":`, content)
	}
	for part := range content.Elements() {
		switch typ := part.Get("type"); {
		case typ.Is("text"):
			blocks = join(blocks, textIn(`{"text":`, part.Get("text")))
		case typ.Is("image_url"):
			url := part.Get("image_url").Get("url").StringBody()
			meta, data, _ := bytes.Cut(url, []byte(";base64,"))
			blocks = join(blocks, image(bytes.TrimPrefix(meta, []byte("data:")), data))
		}
	}
	return blocks
}

// filledUntyped returns blocks, or one that stands for none: the APIs refuse a message without any.
func filledUntyped(blocks []byte) []byte {
	if len(blocks) == 0 {
		return []byte(`{"text":"(empty)"}`)
	}
	return blocks
}
