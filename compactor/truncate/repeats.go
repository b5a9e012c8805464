package truncate

import (
	"fmt"
	"hash/maphash"

	"killick/chat"
	"killick/compactor/excerpt"
	"killick/compactor/layout"
	"killick/summary"
	"killick/transcript"
)

// An output that comes twice word for word within a short while is told once: the
// first stands right before and is read from there. Only one in a row is told so. A
// third comes whole, so an agent that asks again since it needs it has it.

const (
	// leastRepeat is the size in tokens from which on a repeat is worth it.
	leastRepeat = 200

	// nearRepeat is how many tokens may stand between an output and its repeat: a
	// fold that takes the one away mostly takes the other, too.
	NearRepeat = 3000
)

var repeatSeed = maphash.MakeSeed()

// repeats goes on with what is known of each message: what it says, where that can be
// repeated, and whether it stands shortly before as well. Only those are repeats that are
// not oversized themselves, in requests that certainly were over the limit when they came:
// smaller ones pass unseen. It is asked before anything is shortened.
func (p *Pass) repeats(v *layout.View, outputs []output, again []bool) ([]output, []bool) {
	for i := len(outputs); i < len(v.Messages); i++ {
		m := &v.Messages[i]
		if v.Tokens[i] < leastRepeat || v.Tokens[i] > p.Limit || !m.Role().Result() {
			outputs, again = append(outputs, output{}), append(again, false)
			continue
		}
		o := textOutput(m)
		again = append(again, v.Before[i+1] > p.Limit && saidBefore(v, o, outputs, again))
		outputs = append(outputs, o)
	}
	return outputs, again
}

// saidBefore reports whether the last output that is the same as the next one stands near
// enough, and is no repeat itself.
func saidBefore(v *layout.View, o output, outputs []output, again []bool) bool {
	i := len(outputs)
	for j := i - 1; j >= 0 && v.Before[i]-v.Before[j+1] <= NearRepeat; j-- {
		if outputs[j] == o {
			return !again[j]
		}
	}
	return false
}

// output is what an output says: its text as it is spelled, without what moves from
// turn to turn beside it, such as cache breakpoints.
type output struct {
	hash uint64
	size int
}

func textOutput(m *chat.Message) (o output) {
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

func repeatText(tokens int, of *transcript.Call, ref string) string {
	return fmt.Sprintf("[Word for word the same %s tokens as shortly before, of %s: read them there. Repeat the call if they are out of sight. ref=%s]",
		excerpt.Thousands(tokens), summary.Describe(of, 100), ref)
}
