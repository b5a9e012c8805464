package tokenizer

import (
	"bytes"

	"killick/rawjson"
	"killick/view"
)

// What parts of Google's API that are not text count: an image and a page of a PDF as Gemini 3
// counts them by default, a second of audio, a frame of a video, of which it sees one a second.
// Sources: https://ai.google.dev/gemini-api/docs/media-resolution and …/docs/audio. How long a
// video is, is a guess from its size.
const (
	googleImage  = 1120
	googlePage   = 560
	googleSecond = 32
	googleFrame  = 70
	videoSecond  = 250_000 // bytes
)

// googleMedia estimates an inlineData or fileData part.
func googleMedia(p view.Part) int {
	file := p.Raw
	for _, name := range []string{"inlineData", "inline_data", "fileData", "file_data"} {
		if data := p.Raw.Get(name); data.Kind() == rawjson.Object {
			file = data
		}
	}
	mime := file.Get("mimeType")
	if mime == nil {
		mime = file.Get("mime_type")
	}
	size := len(file.Get("data").StringBody()) / 4 * 3
	switch what, _, _ := bytes.Cut(mime.StringBody(), []byte("/")); string(what) {
	case "image":
		return googleImage
	case "audio":
		return size*googleSecond/mp3BytesASecond + 1
	case "video":
		return size*googleFrame/videoSecond + 1
	case "text":
		return size / bytesOfSealed
	}
	pages := unknownPages
	if size > 0 {
		pages = min(max(size/bytesAPage, 1), maxPages)
	}
	return pages * googlePage
}
