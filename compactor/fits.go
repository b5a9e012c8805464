package compactor

import (
	"bytes"
	"math"

	"killick/compactor/layout"
	"killick/compactor/trigger"
	"killick/view"
)

// Fits reports from a body without reading its messages that it is under the trigger: a token is at
// least a byte of the body, save for parts that are billed by something else than their text. Of a
// body that is larger the counter may tell it from a sample. The trigger is that of the model which
// the body names at one of its ends, with what the credential who has learned of it, else the
// smallest of any. A body that names several models is judged by one of them.
func (e *Engine) Fits(body []byte, who string) bool {
	if trigger.Exceeds(len(body), e.most) {
		return false
	}
	limit := min(e.least, trigger.LeastTruncation(e.settings))
	var sampler layout.Sampler
	if model := view.PeekModel(body); model != nil {
		name := model.Text()
		policy, counter := e.settings.For(name), e.counter(who, name)
		budget := e.budget(policy, who, name, counter.Ratio(body), math.MaxInt32, e.costs(name))
		limit = trigger.Inspect(policy, budget)
		sampler, _ = counter.(layout.Sampler)
	}
	return e.atMost(sampler, body, limit)
}

// atMost reports whether a body has at most so many tokens by its size, or by a sample; sampler may
// be nil.
func (e *Engine) atMost(sampler layout.Sampler, body []byte, limit int) bool {
	sampled := func(limit int) bool {
		return trigger.Fits(len(body), limit) || sampler != nil &&
			!trigger.Exceeds(len(body), limit) && sampler.AtMost(body, limit)
	}
	if !sampled(limit) {
		return false
	}
	parts := billedParts(body)
	return parts == 0 || sampled(limit-parts*e.partMost)
}

// billedMarks are the strings that a part has which is not billed by its bytes, in any of the wire
// formats: the name of a member or the value of one, such as that of its type. They stand without
// the quote in front. A body that spells them with escapes is counted as text, which at worst
// forwards it as received.
var billedMarks = []struct {
	text  []byte
	value bool // counts as the value of a member alone
}{
	{[]byte(`image_url"`), false},
	{[]byte(`input_image"`), false},
	{[]byte(`input_audio"`), false},
	{[]byte(`input_file"`), false},
	{[]byte(`file"`), false},
	{[]byte(`video_url"`), false},
	{[]byte(`image"`), true},
	{[]byte(`document"`), true},
	{[]byte(`computer_screenshot"`), true},
	{[]byte(`image_generation_call"`), true},
}

// firstOfMark reports whether a mark begins with a byte.
var firstOfMark = func() (of [256]bool) {
	for _, mark := range billedMarks {
		of[mark.text[0]] = true
	}
	return of
}()

// billedParts is an upper bound of the image, audio and file parts in a body. It
// goes from quote to quote: this is all that is read of most bodies.
func billedParts(body []byte) (n int) {
	for at := 0; ; {
		i := bytes.IndexByte(body[at:], '"')
		if i < 0 {
			return n
		}
		quote := at + i
		if at = quote + 1; at == len(body) || !firstOfMark[body[at]] {
			continue
		}
		for _, mark := range billedMarks {
			if bytes.HasPrefix(body[at:], mark.text) && (!mark.value || behindColon(body[:quote])) {
				n++
			}
		}
	}
}

// behindColon reports whether a JSON text ends with a colon.
func behindColon(b []byte) bool {
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return len(b) > 0 && b[len(b)-1] == ':'
}
