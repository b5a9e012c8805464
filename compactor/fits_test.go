package compactor

import (
	"strings"
	"testing"

	"killick/compaction"
	"killick/compactor/layout"
	"killick/compactor/settings"
)

// The model that a path names counts.
func TestFitsNamedModel(t *testing.T) {
	e := New(Options{Counter: byBytes, Store: newMemStore(), Policy: settings.Policy{Trigger: 0.5,
		Windows: map[string]settings.Window{
			"large": {Tokens: 100_000, Reserve: 100}, "tiny": {Tokens: 2000, Reserve: 100},
		}}})
	body := []byte(`{"contents":["` + strings.Repeat("x", 20_000) + `"]}`)
	for model, want := range map[string]bool{"": false, "tiny": false, "large": true} {
		if got := e.Fits(body, model, "ann"); got != want {
			t.Errorf("%q: %t, want %t", model, got, want)
		}
	}
}

func TestFitsIsAnUpperBound(t *testing.T) {
	e := newEngine(newMemStore())
	if !e.Fits([]byte(strings.Repeat("x", 2000)), "", "ann") ||
		e.Fits([]byte(strings.Repeat("x", 2001)), "", "ann") {
		t.Error("the bound is not the trigger")
	}
	image := `{"messages":[{"role":"user","content":[{"type":"image_url",` +
		`"image_url":{"url":"https://x"}}]}]}`
	if e.Fits([]byte(image), "", "ann") {
		t.Error("an image was counted by its bytes")
	}
	windows := settings.Policy{
		Windows: map[string]settings.Window{"tiny": {Tokens: 2000, Reserve: 100}},
	}
	e = New(Options{Policy: windows, Counter: byBytes})
	if e.Fits([]byte(strings.Repeat("x", 1500)), "", "ann") {
		t.Error("the smallest window was not heeded")
	}
}

// Where the body says early or late which model it is for, that model's trigger
// counts.
func TestFitsHeedsTheModel(t *testing.T) {
	windows := settings.Policy{
		Trigger: 0.5,
		Windows: map[string]settings.Window{
			"large": {Tokens: 100_000, Reserve: 100},
			"tiny":  {Tokens: 2000, Reserve: 100},
		},
	}
	e := New(Options{Policy: windows, Counter: byBytes, Store: newMemStore()})
	text := strings.Repeat("x", 20_000)
	for body, want := range map[string]bool{
		`{"model":"large","messages":[{"role":"user",` +
			`"content":"` + text + `"}]}`: true,
		`{"messages":[{"role":"user",` +
			`"content":"` + text + `"}],"model":"large"}`: true,
		`{"model":"tiny","messages":[{"role":"user",` +
			`"content":"` + text + `"}]}`: false,
		`{"messages":[{"role":"user",` +
			`"content":"` + text + `"}]}`: false,
		`{"model":"large","messages":[{"role":"user",` +
			`"content":"` + strings.Repeat(text, 3) + `"}]}`: false,
		`{"model":"large","messages":[{"role":"user",` +
			`"content":[` + strings.Repeat(`{"type":"image_url"},`, 20) +
			`{"text":"` + text + `"}]}]}`: false,
	} {
		if got := e.Fits([]byte(body), "", "ann"); got != want {
			t.Errorf(
				"%d bytes, %.30s…%s: %t, want %t",
				len(body),
				body,
				body[len(body)-20:],
				got,
				want,
			)
		}
		if req := parse(t, []byte(body)); want &&
			e.Compact(t.Context(), req, "ann").Reason != compaction.ReasonFits {
			t.Errorf("%.30s: said to fit, and does not", body)
		}
	}
	windows.TruncateOver = 1000
	if e := New(Options{Policy: windows, Counter: byBytes}); e.Fits([]byte(`{"model":"large",`+
		`"messages":["`+text+`"]}`), "", "ann") {
		t.Error("an output that may be oversized was not checked")
	}
}

// sampler is a counter that can tell of a body whether its tokens, four bytes
// each, are at most so many.
type sampler struct {
	byteCounter
	asked *int
}

func (s sampler) AtMost(body []byte, limit int) bool {
	*s.asked++
	return len(body)/4 <= limit
}

// A body of more bytes than the trigger fits where its counter can tell from a
// sample.
func TestFitsBySample(t *testing.T) {
	asked := 0
	policy := settings.Policy{
		Trigger: 0.5,
		Windows: map[string]settings.Window{"small": {Tokens: 20_000, Reserve: 100}},
	}
	e := New(
		Options{
			Policy:  policy,
			Counter: func(string, string) layout.Counter { return sampler{asked: &asked} },
			Store:   newMemStore(),
		},
	)
	request := func(fields string, text int) string {
		return `{` + fields + `"messages":[{"role":"user","content":[{"type":"text",` +
			`"text":"` + strings.Repeat("x", text) + `"}]}]}`
	}
	image := `"model":"small","extra":{"image_url":1},`
	for _, c := range []struct {
		body  string
		fits  bool
		asked int
	}{
		{request(`"model":"small",`, 5000), true, 0},    // by its size
		{request(`"model":"small",`, 30_000), true, 1},  // 7,500 of 10,000
		{request(`"model":"small",`, 45_000), false, 1}, // too many
		{request(`"model":"small",`, 80_000), false, 0}, // nobody needs to ask
		{request(image, 30_000), false, 2},              // and 3,000 for the image
		{request(image, 20_000), true, 2},
		{request(``, 600_000), false, 0}, // for whom?
		// What sets a window of its own is parsed.
		{request(`"model":"small","options":{"num_ctx":99000},`, 5000), false, 0},
		{request(`"model":"small","options":{"num_\"ctx\"":99000},`, 5000), true, 0},
	} {
		asked = 0
		if fits := e.Fits([]byte(c.body), "", "ann"); fits != c.fits || asked != c.asked {
			t.Errorf(
				"%d bytes, %.40s: fits %v, asked %d times; want %v, %d",
				len(c.body),
				c.body,
				fits,
				asked,
				c.fits,
				c.asked,
			)
		}
	}
}

func TestBilledParts(t *testing.T) {
	for body, want := range map[string]int{
		``:                                       0,
		`"`:                                      0,
		`{"type":"image_url","image_url":{}}`:    2,
		`"file" "input_audio" "video_url"`:       3,
		`"input_image"`:                          1,
		`"files" "a file" "profile" "Image_url"`: 0,
		`"\"image_url\""`:                        0,
		// The blocks of the Messages API, and the items of the Responses API.
		`{"type":"image","source":{"type":"base64","data":""}}`:          1,
		`{"type" : "image","source":{"type":"file","file_id":""}}`:       2,
		`{"type":"document","source":{"type":"url","url":""}}`:           1,
		`{"type":"input_file","file_id":"x"}`:                            1,
		`{"type":"computer_screenshot"},"type":"image_generation_call"`:  2,
		`{"file_data":{"file_uri":""}},{"fileData":{"fileUri":""}}`:      2,
		`{"image":1,"enum":["image","document"]}`:                        0,
		`{"images":["iVBORw0KGgoAAA","/9j/4AAQ","R0lGODlh","UklGRiQA"]}`: 4,
	} {
		if got, _ := billedParts([]byte(body)); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
	// A mark begins with a letter that is looked for.
	for _, mark := range billedMarks {
		if n, window := billedParts([]byte(`:"` + string(mark.text))); n != 1 || window {
			t.Errorf("%s is not found", mark.text)
		}
	}
}
