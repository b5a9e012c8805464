package compactor

import (
	"bytes"
	"math"

	"killick/compactor/layout"
	"killick/compactor/trigger"
	"killick/view"
)

// Fits reports from a body without reading its messages that it is under the
// trigger: a token is at least a byte of the body, save for parts that are
// billed by something else than their text. Of a body that is larger the counter
// may tell it from a sample. The trigger is that of the model which the body
// names at one of its ends, else the smallest of any. A body that names several
// models is judged by one of them.
func (e *Engine) Fits(body []byte) bool {
	if trigger.Exceeds(len(body), e.most) {
		return false
	}
	limit := min(e.least, trigger.LeastTruncation(e.settings))
	var sampler layout.Sampler
	if model := view.PeekModel(body); model != nil {
		name := model.Text()
		policy, counter := e.settings.For(name), e.counter(name)
		limit = trigger.Inspect(policy, e.budget(policy, "", name, counter, math.MaxInt32))
		sampler, _ = counter.(layout.Sampler)
	}
	if !trigger.Fits(len(body), limit) && (sampler == nil || trigger.Exceeds(len(body), limit)) {
		return false
	}
	limit -= billedParts(body) * e.partMost
	return trigger.Fits(len(body), limit) || sampler != nil && sampler.AtMost(body, limit)
}

// billedPartMarks are the member names that a part which is not billed by its
// bytes has. A body that spells them with escapes is counted as text, which at
// worst forwards it as it came.
var billedPartMarks = [][]byte{
	[]byte(`image_url"`),
	[]byte(`input_audio"`),
	[]byte(`file"`),
	[]byte(`input_image"`),
	[]byte(`video_url"`),
}

// billedParts is an upper bound of the image, audio and file parts in a body. It
// goes from quote to quote: this is all that is read of most bodies.
func billedParts(body []byte) (n int) {
	for {
		i := bytes.IndexByte(body, '"')
		if i < 0 {
			return n
		}
		body = body[i+1:]
		if len(body) == 0 || body[0] != 'i' && body[0] != 'f' && body[0] != 'v' {
			continue
		}
		for _, mark := range billedPartMarks {
			if bytes.HasPrefix(body, mark) {
				n++
			}
		}
	}
}
