package truncate

import (
	"fmt"
	"hash/maphash"

	"killick/compactor/layout"
	"killick/compactor/preview"
	"killick/summary/describe"
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

// first is the message whose output another one repeats, plus one; 0 if it repeats none.
type first int

// message returns that message, -1 if there is none.
func (f first) message() int { return int(f) - 1 }

// repeats extends the lists of outputs and of repeats to all messages. An oversized output is not a
// repeat. Neither is one in a request that was not larger than the limit when the output arrived,
// since such requests are not inspected. It is called before any output is truncated.
func (p *Pass) repeats(v *layout.View, outputs []output, repeated []first) ([]output, []first) {
	for i := len(outputs); i < len(v.Messages); i++ {
		m := &v.Messages[i]
		if v.Tokens[i] < minRepeat || v.Tokens[i] > p.Limit || !m.Role().Result() {
			outputs, repeated = append(outputs, output{}), append(repeated, 0)
			continue
		}
		o, again := outputOf(m), first(0)
		if v.Before[i+1] > p.Limit {
			again = firstOf(v, o, outputs, repeated)
		}
		outputs, repeated = append(outputs, o), append(repeated, again)
	}
	return outputs, repeated
}

// firstOf returns the last output that equals the next one, 0 if it is not near enough or a repeat
// itself.
func firstOf(v *layout.View, o output, outputs []output, repeated []first) first {
	i := len(outputs)
	for j := i - 1; j >= 0 && v.Before[i]-v.Before[j+1] <= maxDistance; j-- {
		if outputs[j] == o {
			if repeated[j] == 0 {
				return first(j + 1)
			}
			return 0
		}
	}
	return 0
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

// repeatText returns the text that is sent in place of a repeat. It names the call whose output is
// the same, which may be another call, so that the text is looked for where it is.
func repeatText(tokens int, call, same *transcript.Call, ref string) string {
	harmless, by := "", "the same call"
	if !call.ChangesNothing() {
		harmless = ", unless that has side effects"
	}
	if call.Key() != same.Key() {
		by = describe.Call(same, 100)
	}
	return fmt.Sprintf("[Word for word the same %s tokens as %s returned shortly before: "+
		"read them there. Repeat this call if they are out of sight%s. ref=%s]",
		preview.Thousands(tokens), by, harmless, ref)
}

// callOf returns the call that message i answers, nil if it answers none. It reads only its group.
func callOf(v *layout.View, i int) *transcript.Call {
	g := v.Groups[v.GroupAt(i+1)-1]
	t := v.Prefix(g.End).Transcript(g.Start)
	if c := t.Answered(i); c >= 0 {
		return &t.Calls[c]
	}
	return nil
}
