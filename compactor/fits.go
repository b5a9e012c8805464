package compactor

import (
	"bytes"
	"math"

	"killick/compactor/layout"
	"killick/compactor/trigger"
	"killick/view"
)

// Fits reports whether a body is certainly under the trigger, without parsing it. A token takes at
// least one byte, except in parts that are not billed by their text. A larger body may be sampled
// by the counter. The trigger is that of the model, with what was learned of it under the
// credential who. If model is "", it is the one that the body names at its beginning or end; if
// there is none, the trigger is the smallest of any model, see [trigger.Range]. If a body names
// several models, one of them counts. A body that may set a window of its own is not said to fit.
func (e *Engine) Fits(body []byte, model, who string) bool {
	if trigger.Exceeds(len(body), e.maxThreshold) {
		return false
	}
	limit := e.minThreshold
	var sampler layout.Sampler
	named := model != ""
	if peeked := view.PeekModel(body); !named && peeked != nil {
		model, named = peeked.Text(), true
	}
	if named {
		policy, counter := e.settings.For(model), e.counter(who, model)
		budget := budget(policy, model, counter.Ratio(body), e.windows.Learned(who, model),
			view.Limits{Output: math.MaxInt32}, e.costs(model))
		limit = trigger.Inspect(policy, budget)
		sampler, _ = counter.(layout.Sampler)
	}
	return e.atMost(sampler, body, limit)
}

// atMost reports whether a body has at most limit tokens by its size or by a sample. sampler may be
// nil.
func (e *Engine) atMost(sampler layout.Sampler, body []byte, limit int) bool {
	sampled := func(limit int) bool {
		return trigger.Fits(len(body), limit) || sampler != nil &&
			!trigger.Exceeds(len(body), limit) && sampler.AtMost(body, limit)
	}
	if !sampled(limit) {
		return false
	}
	parts, window := billedParts(body)
	return !window && (parts == 0 || sampled(limit-parts*e.maxPartTokens))
}

// billedMarks are strings in parts that are not billed by their bytes, in any of the wire formats:
// names or values of members, such as a type. They are written here without the opening quote. A
// body that writes them with escapes is counted as text, so at worst it is forwarded as received.
var billedMarks = []struct {
	text  []byte
	value bool // counts only as the value of a member
}{
	{[]byte(`image_url"`), false},
	{[]byte(`input_image"`), false},
	{[]byte(`input_audio"`), false},
	{[]byte(`input_file"`), false},
	{[]byte(`file"`), false},
	{[]byte(`video_url"`), false},
	{[]byte(`inlineData"`), false},
	{[]byte(`inline_data"`), false},
	{[]byte(`fileData"`), false},
	{[]byte(`file_data"`), false},
	{[]byte(`bytes"`), false},      // in Converse, of images, documents, audio and videos
	{[]byte(`s3Location"`), false}, // likewise
	{[]byte(`iVBORw0KGgo`), false}, // an image alone, as in Ollama's lists: PNG in base64
	{[]byte(`/9j/`), false},        // likewise, JPEG
	{[]byte(`R0lGOD`), false},      // GIF
	{[]byte(`UklGR`), false},       // WebP
	{[]byte(`image"`), true},
	{[]byte(`document"`), true},
	{[]byte(`computer_screenshot"`), true},
	{[]byte(`image_generation_call"`), true},
}

// windowMark is in a body that sets the window of its request: as Ollama's do, in their options.
var windowMark = []byte(`num_ctx"`)

// firstOfMark reports whether a mark begins with a byte.
var firstOfMark = func() (of [256]bool) {
	of[windowMark[0]] = true
	for _, mark := range billedMarks {
		of[mark.text[0]] = true
	}
	return of
}()

// billedParts returns an upper bound of the number of image, audio and file parts in a body, and
// whether the body may set a window. It looks only at quotes, since this is all that is read of
// most bodies.
func billedParts(body []byte) (n int, window bool) {
	for at := 0; ; {
		i := bytes.IndexByte(body[at:], '"')
		if i < 0 {
			return n, window
		}
		quote := at + i
		if at = quote + 1; at == len(body) || !firstOfMark[body[at]] {
			continue
		}
		window = window || bytes.HasPrefix(body[at:], windowMark)
		for _, mark := range billedMarks {
			if bytes.HasPrefix(body[at:], mark.text) && (!mark.value || endsInColon(body[:quote])) {
				n++
			}
		}
	}
}

// endsInColon reports whether a JSON text ends with a colon, white space apart.
func endsInColon(b []byte) bool {
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return len(b) > 0 && b[len(b)-1] == ':'
}
