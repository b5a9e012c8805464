package tokenizer

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"killick/rawjson"
)

// image counts an image part: its size is read from the data where the part
// carries it, and assumed where it only points to it.
func (m *tables) image(part rawjson.Value) int {
	for _, data := range []rawjson.Value{
		part, part.Get("source").Get("data"), part.Get("result"), // Ollama's is the data itself
	} {
		if data.Kind() == rawjson.String {
			width, height := sizeOf(unescaped(data.StringBody(), headBytes))
			return m.images.tokens(width, height, "")
		}
	}
	v := part.Get("image_url")
	url, detail := v.Get("url"), v.Get("detail")
	if v.Kind() == rawjson.String { // as the Responses API and some clients spell it
		url, detail = v, part.Get("detail")
	}
	width, height := imageSize(url)
	return m.images.tokens(width, height, detail.Text())
}

// headBytes bounds how much of an image is inspected for its size. The header of a JPEG comes after
// its metadata, a thumbnail of up to 64 KiB among them.
const headBytes = 256 << 10

// imageSize reads the size of an image in a data: URL; zeros if it cannot.
func imageSize(url rawjson.Value) (width, height int) {
	data := inlineData(url, headBytes)
	if data == nil {
		return 0, 0
	}
	return sizeOf(data)
}

// sizeOf reads the size of an image from the start of its data in base64; zeros if it cannot.
func sizeOf(data []byte) (width, height int) {
	head := make([]byte, 32)
	n, _ := io.ReadFull(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(data)), head)
	head = head[:n]
	whole := base64.NewDecoder(base64.StdEncoding, bytes.NewReader(data))
	var config image.Config
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG")):
		config, _ = png.DecodeConfig(whole)
	case bytes.HasPrefix(head, []byte("GIF8")):
		config, _ = gif.DecodeConfig(whole)
	case bytes.HasPrefix(head, []byte("\xFF\xD8")):
		config, _ = jpeg.DecodeConfig(whole)
	case len(head) >= 30 && bytes.HasPrefix(head, []byte("RIFF")) && string(head[8:12]) == "WEBP":
		return webpSize(head)
	}
	return config.Width, config.Height
}

// webpSize reads the size from the first 30 bytes of a WebP file.
// Source: the WebP container specification.
func webpSize(head []byte) (width, height int) {
	body := head[20:]
	switch string(head[12:16]) {
	case "VP8 ":
		w, h := binary.LittleEndian.Uint16(body[6:]), binary.LittleEndian.Uint16(body[8:])
		return int(w & 0x3FFF), int(h & 0x3FFF)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(body[1:])
		return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1
	case "VP8X":
		w := int(body[4]) | int(body[5])<<8 | int(body[6])<<16
		h := int(body[7]) | int(body[8])<<8 | int(body[9])<<16
		return 1 + w, 1 + h
	}
	return 0, 0
}

// inlineData returns the start of the base64 text that a data: URL carries, at
// most limit bytes of it; nil if the value is none.
func inlineData(url rawjson.Value, limit int) []byte {
	body := url.StringBody()
	if !bytes.HasPrefix(body, []byte("data:")) {
		return nil
	}
	_, data, found := bytes.Cut(unescaped(body, limit), []byte(";base64,"))
	if !found {
		return nil
	}
	return data
}

// unescaped returns at most limit bytes of the inside of a JSON string, decoded: a slash may come
// escaped.
func unescaped(body []byte, limit int) []byte {
	if len(body) > limit {
		body, _ = rawjson.CutEscaped(body, limit)
	}
	if bytes.IndexByte(body, '\\') >= 0 {
		return rawjson.AppendUnescaped(nil, body, rawjson.ReplaceLone)
	}
	return body
}

// Audio counts 10 tokens a second. Source: OpenAI, "Managing costs" of the
// Realtime API: one token for 100 ms of a user's audio.
const audioTokensASecond = 10

// Bytes a second where the data does not say: 128 kbit/s for MP3, 16 bits at
// 24 kHz for what has no header.
const (
	mp3BytesASecond = 16_000
	pcmBytesASecond = 48_000
)

// audioTokens counts an input_audio part by the length of its data.
func audioTokens(part rawjson.Value) int {
	audio := part.Get("input_audio")
	data := audio.Get("data").StringBody()
	size := len(data) / 4 * 3
	rate := pcmBytesASecond
	if audio.Get("format").Is("mp3") {
		rate = mp3BytesASecond
	} else if head := waveHeader(data); head != nil {
		// The byte rate; below 8 kbit/s it is not audio.
		rate = max(1000, int(binary.LittleEndian.Uint32(head[28:])))
	}
	return size*audioTokensASecond/rate + 1
}

// waveHeader returns the header of a WAVE file in base64, nil if data is none.
func waveHeader(data []byte) []byte {
	head, err := base64.StdEncoding.DecodeString(string(data[:min(len(data), 44)]))
	if err != nil || len(head) < 32 || !bytes.HasPrefix(head, []byte("RIFF")) {
		return nil
	}
	return head
}

// Files: the model gets the text and an image of every page. Source: OpenAI,
// "PDF files", which also gives the limit of 100 pages. How many pages a file
// has is a guess from its size.
const (
	maxPages        = 100
	unknownPages    = 10
	bytesAPage      = 30_000
	textTokensAPage = 800
	pageWidth       = 1241 // A4 at 150 dots an inch
	pageHeight      = 1754
)

func (m *tables) file(part rawjson.Value) int {
	file := part.Get("file")
	if file == nil {
		file = part
	}
	return m.pages(file.Get("file_data"))
}

// pages counts a file, whose data in base64 is nil if the request only points to it.
func (m *tables) pages(data rawjson.Value) int {
	pages := unknownPages
	if body := data.StringBody(); body != nil {
		pages = min(max(len(body)/4*3/bytesAPage, 1), maxPages)
	}
	return pages * (textTokensAPage + m.images.page())
}

// page returns what the image of a page of a file counts. Since Opus 4.7 images count up to three
// times as much, and pages of a PDF 1.08 times. Source: simonwillison.net, 2026-04-20,
// "Claude Token Counter, now with model comparisons".
func (r *imageRule) page() int {
	if r == &newerClaudeImages {
		r = &olderClaudeImages
	}
	return r.tokens(pageWidth, pageHeight, "high")
}

// MaxPartTokens returns the most tokens that one image, file or document may take in addition to
// its bytes in the body, for any model. So a request has at most as many tokens as bytes, plus this
// number for each such part. Text and audio take at most one token per byte.
func MaxPartTokens() (most int) {
	rules := []*imageRule{&olderClaudeImages, &newerClaudeImages, &newestImages}
	for i := range imageRules {
		rules = append(rules, &imageRules[i].imageRule)
	}
	for _, r := range rules {
		most = max(most, r.ceiling(), maxPages*(textTokensAPage+r.page()))
	}
	return most
}
