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

// repeats tells which messages are outputs that stand shortly before as well. Only
// those are that the door leaves whole, and in requests that certainly were over
// its limit when they came: smaller ones pass it unseen. It is asked before
// anything is shortened.
func (d *Pass) repeats(v *layout.View) map[int]bool {
	again := map[int]bool{}
	last := map[output]int{}
	for i := range v.Messages {
		m := &v.Messages[i]
		if v.Tokens[i] < leastRepeat || v.Tokens[i] > d.Limit || !m.Role().Result() {
			continue
		}
		o := textOutput(m)
		if j, ok := last[o]; ok && !again[j] && v.Before[i]-v.Before[j+1] <= NearRepeat && v.Before[i+1] > d.Limit {
			again[i] = true
		}
		last[o] = i
	}
	return again
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
