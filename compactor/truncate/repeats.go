package truncate

import (
	"fmt"
	"hash/maphash"

	"killick/compactor/layout"
	"killick/compactor/preview"
	"killick/summary"
	"killick/transcript"
	"killick/view"
)

// If an output is identical to one shortly before it, a reference to the first is sent in place of
// the second. A third is sent whole, so an agent that repeats a call because it needs the content
// gets it.

const (
	// minRepeat is the least size in tokens of an output that is replaced.
	minRepeat = 200

	// maxDistance is the most tokens between an output and its repeat. At this distance, a fold of
	// one mostly folds the other too.
	maxDistance = 3000
)

var repeatSeed = maphash.MakeSeed()

// repeats extends the lists of outputs and of repeats to all messages. An oversized output is not a
// repeat. Neither is one in a request that was not larger than the limit when the output arrived,
// since such requests are not inspected. It is called before any output is truncated.
func (p *Pass) repeats(v *layout.View, outputs []output, repeated []bool) ([]output, []bool) {
	for i := len(outputs); i < len(v.Messages); i++ {
		m := &v.Messages[i]
		if v.Tokens[i] < minRepeat || v.Tokens[i] > p.Limit || !m.Role().Result() {
			outputs, repeated = append(outputs, output{}), append(repeated, false)
			continue
		}
		o := outputOf(m)
		again := v.Before[i+1] > p.Limit && isRepeat(v, o, outputs, repeated)
		outputs, repeated = append(outputs, o), append(repeated, again)
	}
	return outputs, repeated
}

// isRepeat reports whether the last output that equals the next one is near enough, and is not a
// repeat itself.
func isRepeat(v *layout.View, o output, outputs []output, repeated []bool) bool {
	i := len(outputs)
	for j := i - 1; j >= 0 && v.Before[i]-v.Before[j+1] <= maxDistance; j-- {
		if outputs[j] == o {
			return !repeated[j]
		}
	}
	return false
}

// output identifies the text of an output, as it is written in JSON, without members that change
// from turn to turn, such as cache breakpoints.
type output struct {
	hash uint64
	size int
}

func outputOf(m *view.Message) (o output) {
	var h maphash.Hash
	h.SetSeed(repeatSeed)
	for part := range m.Parts() {
		h.Write(part.Text)
		h.WriteByte(0)
		o.size += len(part.Text)
	}
	o.hash = h.Sum64()
	return o
}

// repeatText returns the text that is sent in place of a repeat.
func repeatText(tokens int, call *transcript.Call, ref string) string {
	harmless := ""
	if !call.ChangesNothing() {
		harmless = ", unless that has side effects"
	}
	return fmt.Sprintf("[Word for word the same %s tokens as shortly before, of %s: "+
		"read them there. Repeat the call if they are out of sight%s. ref=%s]",
		preview.Thousands(tokens), summary.Describe(call, 100), harmless, ref)
}
