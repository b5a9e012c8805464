package tokenizer

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
)

// TestImages holds the examples of OpenAI's guide and the figures of its tables.
func TestImages(t *testing.T) {
	for _, test := range []struct {
		model         string
		width, height int
		detail        string
		want          int
	}{
		{"gpt-4o", 1024, 1024, "high", 765},
		{"gpt-4o", 1024, 1024, "", 765},
		{"gpt-4o", 2048, 4096, "high", 1105},
		{"gpt-4o", 4096, 8192, "low", 85},
		{"gpt-4o", 512, 512, "high", 255},
		{"gpt-4o", 100, 100, "high", 255},
		{"gpt-4.1", 1024, 1024, "high", 765},
		{"gpt-4o-mini", 1024, 1024, "high", 2833 + 4*5667},
		{"gpt-4o-mini", 1024, 1024, "low", 2833},
		{"openai/gpt-5", 1024, 1024, "high", 70 + 4*140},
		{"gpt-5.1", 1024, 1024, "high", 70 + 4*140},
		{"o1", 1024, 1024, "high", 75 + 4*150},
		{"o3", 1024, 1024, "high", 75 + 4*150},
		{"computer-use-preview", 1024, 1024, "high", 65 + 4*129},
		{"gpt-4.1-mini", 1024, 1024, "high", 1659}, // 1024 × 1.62
		{"gpt-4.1-mini", 1800, 2400, "high", 2353}, // 1452 × 1.62
		{"gpt-5-nano", 1024, 1024, "", 2520},       // 1024 × 2.46
		{"o4-mini", 1024, 1024, "auto", 1762},      // 1024 × 1.72
		{"gpt-5.2", 1800, 2400, "high", 1452},
		{"gpt-5.2", 1800, 2400, "low", 256},
		{"gpt-5.4", 1024, 1024, "high", 1024},
		{"gpt-5.4", 3200, 3200, "original", 10000},
		{"gpt-5.5", 3200, 3200, "", 10000},
		{"gpt-5.6", 4096, 4096, "auto", 128 * 128},
		{"claude-sonnet-4-5", 200, 200, "", 64}, // 8 × 8 patches
		{"claude-sonnet-4-5", 1000, 1000, "", 1296},
		{"claude-sonnet-4-5", 1092, 1092, "", 1521},
		{"claude-sonnet-4-5", 4000, 3000, "", 1530}, // 34 × 45
		{"claude-opus-4-7", 1920, 1080, "", 69 * 39},
		{"claude-opus-4-7", 8000, 8000, "", 4761}, // 69 × 69
	} {
		if got := imageRuleFor(test.model).tokens(test.width, test.height,
			test.detail); got != test.want {
			t.Errorf("%s, %d × %d, detail %q: %d tokens, want %d", test.model, test.width,
				test.height, test.detail, got, test.want)
		}
	}
}

func TestCeilings(t *testing.T) {
	corpus.Sequential(t)
	r := rand.New(rand.NewPCG(1, 9))
	for _, model := range []string{"gpt-4o", "gpt-4o-mini", "gpt-5", "gpt-5-nano", "gpt-5.4",
		"gpt-5.5", "gpt-5.6", "o4-mini", "claude-opus-4-6", "claude-opus-5", "unheard-of"} {
		m := New(Options{}).For(model)
		most := m.images.ceiling()
		for range 2000 {
			w, h := 1+r.IntN(1<<r.IntN(20)), 1+r.IntN(1<<r.IntN(20))
			for _, detail := range []string{"low", "high", "auto", "original"} {
				if got := m.images.tokens(w, h, detail); got > most || got < 1 {
					t.Fatalf("%s, %d × %d, detail %s: %d tokens, want 1 to %d", model, w, h,
						detail, got, most)
				}
			}
		}
		if most > MaxPartTokens() {
			t.Errorf("%s: an image counts up to %d, any part up to %d", model, most,
				MaxPartTokens())
		}
		file := parse(t, `{"messages":[{"role":"user","content":[{"type":"file",`+
			`"file":{"file_data":"`+strings.Repeat("A", 8<<20)+`"}}]}]}`)
		if got := m.Request(file).Total; got > MaxPartTokens()+100 {
			t.Errorf("%s: a file counts %d, any part up to %d", model, got, MaxPartTokens())
		}
	}
}

// dataURL is a JSON string with an image in it.
func dataURL(kind string, data []byte) rawjson.Value {
	return rawjson.Value(`"data:image/` + kind + `;base64,` + base64.StdEncoding.EncodeToString(
		data) + `"`)
}

func TestImageSize(t *testing.T) {
	const w, h = 1024, 389 // 1023 in three bytes: a carry
	picture := image.NewPaletted(image.Rect(0, 0, w, h), palette.Plan9)
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * i >> 3)
	}
	var p, g, j bytes.Buffer
	if err := png.Encode(&p, picture); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&g, picture, nil); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&j, picture, nil); err != nil {
		t.Fatal(err)
	}
	// A thumbnail in the metadata puts the size far after the start.
	thumbnail := append([]byte{0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0x00}, make([]byte, 0xFF00-2)...)
	exif := slices.Concat(thumbnail, j.Bytes()[2:])
	riff := func(kind, body string) []byte {
		return []byte("RIFF\x00\x00\x00\x00WEBP" + kind + "\x00\x00\x00\x00" + body)
	}

	for name, url := range map[string]rawjson.Value{
		"png":        dataURL("png", p.Bytes()),
		"gif":        dataURL("gif", g.Bytes()),
		"jpeg":       dataURL("jpeg", j.Bytes()),
		"exif":       dataURL("jpeg", exif),
		"wrong type": dataURL("webp", p.Bytes()),
		"webp lossy": dataURL("webp", riff("VP8 ", "\x00\x00\x00\x9d\x01\x2a"+string([]byte{
			w & 0xFF, w >> 8, h & 0xFF, h >> 8})+"xxxx")),
		"webp exact": dataURL("webp", riff("VP8L", "\x2f"+string([]byte{(w - 1) & 0xFF,
			(w-1)>>8 | (h-1)<<6&0xC0, (h - 1) >> 2 & 0xFF, (h - 1) >> 10})+"xxxxxxxx")),
		"webp extra": dataURL("webp", riff("VP8X", "\x00\x00\x00\x00"+string([]byte{
			(w - 1) & 0xFF, (w - 1) >> 8, 0, (h - 1) & 0xFF, (h - 1) >> 8, 0})+"xxxx")),
		"escaped " +
			"path": rawjson.Value(strings.ReplaceAll(string(dataURL("png", p.Bytes())), "/", `\/`)),
	} {
		if gotW, gotH := imageSize(url); gotW != w || gotH != h {
			t.Errorf("%s: %d × %d, want %d × %d", name, gotW, gotH, w, h)
		}
	}
	for name, url := range map[string]rawjson.Value{
		"a link":     rawjson.Value(`"https://example.com/cat.png"`),
		"cut short":  dataURL("png", p.Bytes()[:20]),
		"no base64":  rawjson.Value(`"data:image/png;base64,@@@@"`),
		"empty":      rawjson.Value(`"data:image/png;base64,"`),
		"svg":        rawjson.Value(`"data:image/svg+xml;utf8,<svg/>"`),
		"not a text": rawjson.Value(`17`),
		"nothing":    nil,
	} {
		if gotW, gotH := imageSize(url); gotW != 0 || gotH != 0 {
			t.Errorf("%s: %d × %d, want no size", name, gotW, gotH)
		}
	}
}

func TestParts(t *testing.T) {
	m := New(Options{}).For("gpt-4o")
	content := func(part string) int {
		msgs := parse(t, `{"messages":[{"role":"user","content":[`+part+`]}]}`).Messages()
		return m.Message(&msgs[0]) - 4
	}
	wave := append([]byte("RIFF\x00\x00\x00\x00WAVEfmt "+
		"\x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00"), make([]byte,
		10*32000)...)
	for _, test := range []struct {
		name, part string
		low, high  int
	}{
		{"text", `{"type":"text","text":"hello world"}`, 2, 2},
		{"text, escaped", `{"type":"text","text":"hello\u0020world"}`, 2, 2},
		{"a bare string", `"hello world"`, 2, 2},
		{"a refusal", `{"type":"refusal","refusal":"hello world"}`, 2, 2},
		{"a linked image", `{"type":"image_url","image_url":{"url":"https://example.com/` +
			`x.png"}}`, 765, 765},
		{"a linked image, " +
			"low", `{"type":"image_url","image_url":{"url":"https://example.com/x.png",` +
			`"detail":"low"}}`, 85, 85},
		{"an image spelled " +
			"otherwise", `{"type":"input_image","image_url":"https://example.com/x.png",` +
			`"detail":"low"}`, 85, 85},
		{"ten seconds of " +
			"speech", fmt.Sprintf(`{"type":"input_audio","input_audio":{"format":"wav",`+
			`"data":%q}}`, base64.StdEncoding.EncodeToString(wave)), 100, 102},
		{"ten seconds of mp3", fmt.Sprintf(`{"type":"input_audio","input_audio":{"format":"mp3",`+
			`"data":%q}}`, base64.StdEncoding.EncodeToString(make([]byte, 160_000))), 100, 102},
		{"audio without data", `{"type":"input_audio","input_audio":{}}`, 1, 1},
		{"a file", `{"type":"file","file":{"file_id":"file-1"}}`, 1000, 30000},
		{"something new", `{"type":"hologram","depth":3}`, 5, 29},
	} {
		if got := content(test.part); got < test.low || got > test.high {
			t.Errorf("%s: %d tokens, want %d to %d", test.name, got, test.low, test.high)
		}
	}
}
