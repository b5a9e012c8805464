package tokenizer

import (
	"killick/rawjson"
	"killick/view"
)

// A second of video as Amazon's Nova counts it. Source:
// https://docs.aws.amazon.com/nova/latest/userguide/modalities-video.html. How long a video is, is
// a guess from its size, and a minute if the request only points to it.
const (
	novaSecond  = 288
	videoMinute = 60 * videoSecond
)

// ofBedrock returns what is in the only member of a block of Converse, which has the name of the
// part's type. Parts of other types, such as the images of chat, are long and not searched.
func ofBedrock(p view.Part) (block rawjson.Value, ok bool) {
	switch p.Type {
	case "image", "document", "video", "audio", "reasoningContent":
		block = p.Raw.Get(p.Type)
	}
	return block, block.Kind() == rawjson.Object
}

// bedrock counts a block of Converse that is not text.
func (m *tables) bedrock(kind string, block rawjson.Value) measured {
	data := block.Get("source").Get("bytes")
	size := len(data.StringBody()) / 4 * 3
	switch kind {
	case "image":
		width, height := 0, 0
		if size > 0 {
			width, height = sizeOf(unescaped(data.StringBody(), headBytes))
		}
		return guess(m.images.tokens(width, height, ""))
	case "document":
		return m.bedrockDocument(block)
	case "video":
		if size == 0 {
			size = videoMinute
		}
		return guess(size*novaSecond/videoSecond + 1)
	case "audio":
		return guess(size*audioTokensASecond/mp3BytesASecond + 1)
	}
	if text := block.Get("reasoningText").Get("text"); len(text.StringBody()) > 0 {
		return m.text(text)
	}
	sealed := block.Get("redactedContent")
	if sealed == nil {
		sealed = block.Get("reasoningText").Get("signature")
	}
	return guess(sealedTokens(sealed))
}

// bedrockDocument counts a document: a text, a list of texts, or a file.
func (m *tables) bedrockDocument(block rawjson.Value) (n measured) {
	for _, name := range []string{"name", "context"} {
		n.add(m.text(block.Get(name)))
	}
	source := block.Get("source")
	text, list := source.Get("text"), source.Get("content")
	switch {
	case text != nil:
		n.add(m.text(text))
	case list != nil:
		for part := range list.Elements() {
			n.add(m.text(part.Get("text")))
		}
	default:
		n.add(guess(m.pages(source.Get("bytes"))))
	}
	return n
}
