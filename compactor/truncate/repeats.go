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

// An output that comes twice word for word within a short while is sent once: the second
// says to read the first. Only one in a row does. A third comes whole, so an agent that
// asks again since it needs the content has it.

const (
	// minRepeat is the size in tokens from which on a repeat is worth it.
	minRepeat = 200

	// maxDistance is how many tokens may be between an output and its repeat: a fold that takes the
	// one away mostly takes the other, too.
	maxDistance = 3000
)

var repeatSeed = maphash.MakeSeed()

// repeats goes on with what is known of each message: its content, where that can be repeated, and
// whether it is also shortly before. Only those are repeats that are not oversized themselves, in
// requests that certainly were over the limit when they came, since smaller ones are not inspected.
// It is called before anything is truncated.
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

// isRepeat reports whether the last output that is the same as the next one is near enough, and is
// no repeat itself.
func isRepeat(v *layout.View, o output, outputs []output, repeated []bool) bool {
	i := len(outputs)
	for j := i - 1; j >= 0 && v.Before[i]-v.Before[j+1] <= maxDistance; j-- {
		if outputs[j] == o {
			return !repeated[j]
		}
	}
	return false
}

// output is the text of an output as it is spelled, without what moves from turn to turn
// beside it, such as cache breakpoints.
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

// repeatText is what is sent in the place of a repeat.
func repeatText(tokens int, call *transcript.Call, ref string) string {
	harmless := ""
	if !call.ChangesNothing() {
		harmless = " and that changes nothing"
	}
	return fmt.Sprintf("[Word for word the same %s tokens as shortly before, of %s: "+
		"read them there. Repeat the call if they are out of sight%s. ref=%s]",
		preview.Thousands(tokens), summary.Describe(call, 100), harmless, ref)
}
