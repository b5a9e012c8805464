package tokenizer

import (
	"hash/maphash"
	"math"
	"math/bits"
	"sync"

	"killick/chat"
)

// calibration is what the counts reported for one model have taught.
type calibration struct {
	published bool // the model's tokenizer is one of ours

	mu     sync.Mutex
	belief belief
	learnt bool // from one count at least
}

func newCalibration(published bool) *calibration {
	return &calibration{published: published, belief: newBelief(published)}
}

// settled tells that requests may pass uncounted: nothing is to be learnt before.
func (c *calibration) settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.published || c.learnt
}

// View is what calibration needs of one request: numbers and hashes, no text.
// It is taken when the request is sent, and may be kept until its usage is
// known. It is not safe for concurrent use.
type View struct {
	// Pinned is the count without calibration, as Model.Request gives it.
	Pinned int

	model *Model
	key   memoKey // of the whole request

	// What the upstream counted for the longest start of the request that it was
	// believed for, and for a longer one, if there is, that it was not.
	trusted, doubted anchor
}

// anchor is a count that an upstream reported for the start of a request, and
// what the request holds beyond it. The zero anchor has no tokens and no
// messages, and all of the request is beyond.
type anchor struct {
	tokens    int
	messages  int
	confirmed bool // by an earlier report of the same conversation
	beyond    vector
	media     bool // some of what is beyond is no text
}

func (a *anchor) set() bool { return a.messages > 0 }

// add counts a message that is beyond the anchor.
func (a *anchor) add(n measured) {
	a.beyond[ratio] += float64(n.tokens)
	a.beyond[perMessage]++
	a.beyond[perCall] += float64(n.calls)
	a.media = a.media || n.media
}

// Marks of a count in the memo: it was not believed; it was, and agreed with an
// earlier one of the same conversation.
const (
	markDoubtful  = 1 << 63
	markConfirmed = 1 << 62
)

// View looks at a request on its way to the upstream. The scope keeps apart what
// must not meet, such as credentials and upstreams: a count reported for a
// conversation is only used for the same conversation in the same scope.
func (m *Model) View(scope string, req *chat.Request) *View {
	msgs, x := req.Messages(), extrasOf(req)
	tools, frame := m.tools(x), m.frame(x)
	v := &View{model: m, Pinned: tools + frame, key: m.scopeKey(scope, x)}
	v.trusted.beyond = vector{constant: 1, ratio: float64(frame), toolsRatio: float64(tools)}
	for i := range msgs {
		n := m.measure(&msgs[i])
		v.Pinned += n.tokens
		v.trusted.add(n)
		v.doubted.add(n)
		f := msgs[i].Fingerprint()
		v.key = memoKey{longHash(v.key[0]^f[0], v.key[1]+hashMixer), longHash(v.key[1]^f[1], v.key[0]+hashMixer)}
		if value, ok := m.counter.anchors.get(v.key); ok {
			a := anchor{
				tokens:    int(value &^ (markDoubtful | markConfirmed)),
				messages:  i + 1,
				confirmed: value&markConfirmed != 0,
			}
			if v.doubted = a; value&markDoubtful == 0 {
				v.trusted, v.doubted = a, anchor{}
			}
		}
	}
	return v
}

// scopeKey is the key of a request without messages.
func (m *Model) scopeKey(scope string, x extras) (key memoKey) {
	for i := range key {
		var h maphash.Hash
		h.SetSeed(memoSeeds[i])
		h.WriteString(scope)
		h.WriteByte(0)
		h.WriteString(m.name)
		for _, field := range [...]chat.Value{x.tools, x.functions, x.choice, x.legacy, x.schema} {
			h.WriteByte(0)
			h.Write(field)
		}
		key[i] = h.Sum64()
	}
	return key
}

// Estimate is what an upstream is expected to count.
type Estimate struct {
	Tokens int // the most likely count
	// Upper is a count that it passes in one of twenty requests at most: what to
	// go by where too low a number costs more than too high a one.
	Upper int
	// Anchored is the number of messages at the start of the request whose count
	// is the upstream's own.
	Anchored int
}

// quantile is that of the normal distribution that Upper stands for.
const quantile = 1.65

// Estimate returns the expected count of the request: the upstream's own for the
// part that it has counted before, and what the model's reports have taught for
// the rest. With nothing reported so far it is the pinned count for models whose
// tokenizer is published.
func (v *View) Estimate() Estimate {
	c := v.model.calibration
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.from(&v.trusted)
	if !c.learnt && c.published && !v.trusted.set() {
		e.Tokens, e.Upper = v.Pinned, max(v.Pinned, e.Upper)
	}
	if v.doubted.set() && !v.trusted.confirmed { // either may be wrong: the larger counts
		other := c.from(&v.doubted)
		e.Tokens, e.Upper = max(e.Tokens, other.Tokens), max(e.Upper, other.Upper)
	}
	return e
}

func (c *calibration) from(a *anchor) Estimate {
	if a.beyond == (vector{}) {
		return Estimate{Tokens: a.tokens, Upper: a.tokens, Anchored: a.messages}
	}
	mean, deviation := c.belief.predict(&a.beyond)
	return Estimate{
		Tokens:   a.tokens + max(0, int(math.Round(mean))),
		Upper:    a.tokens + max(0, int(math.Ceil(mean+quantile*deviation))),
		Anchored: a.messages,
	}
}

// Counts further from ours than this, and than slack tokens, are never believed:
// a usage field that leaves out cached tokens, that counts characters, or that
// is made up.
const (
	leastShare = 0.5
	mostShare  = 3
	slack      = 256
)

// mostDeviations is how far from its expectation a count may lie to be believed.
const mostDeviations = 4

// Observe tells what the upstream reported for the request. It returns whether
// the number was believed; nothing is learnt from one that was not, until a
// later report of the same conversation agrees with it.
func (v *View) Observe(promptTokens int) bool {
	count, pinned := float64(promptTokens), float64(v.Pinned)
	if promptTokens <= 0 || count < leastShare*pinned-slack || count > mostShare*pinned+slack {
		return false
	}
	c := v.model.calibration
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &v.trusted
	off := c.off(a, count)
	if v.doubted.set() {
		if o := c.off(&v.doubted, count); o < off {
			a, off = &v.doubted, o
		}
	}
	if off > mostDeviations {
		c.belief.doubt()
		if v.trusted.beyond != (vector{}) { // else the request has a count that is believed
			v.model.counter.anchors.put(v.key, uint64(promptTokens)|markDoubtful)
		}
		return false
	}
	value := uint64(promptTokens)
	if a.set() {
		value |= markConfirmed
	}
	v.model.counter.anchors.put(v.key, value)
	if !a.media && a.beyond != (vector{}) {
		c.belief.learn(&a.beyond, count-float64(a.tokens))
		c.learnt = true
	}
	return true
}

// off tells by how many standard deviations a count is off what an anchor makes
// one expect.
func (c *calibration) off(a *anchor, count float64) float64 {
	count -= float64(a.tokens)
	switch {
	case a.beyond == (vector{}) && count != 0: // sent again, and counted otherwise
		return math.Inf(1)
	case a.beyond == (vector{}):
		return 0
	case a.media && count > 0:
		return mostDeviations // what is no text is estimated: hardly a ground for doubt
	}
	mean, deviation := c.belief.predict(&a.beyond)
	return math.Abs(count-mean) / deviation
}

// Ratio returns how many tokens the model may count for one of ours, 1 at least:
// what a bound on our count must be multiplied by to bound the model's.
func (m *Model) Ratio() float64 {
	c := m.calibration
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.published && !c.learnt {
		return 1
	}
	return max(1, c.belief.mean[ratio]+quantile*math.Sqrt(c.belief.cov[ratio][ratio]))
}

const hashMixer = 0x9E3779B97F4A7C15

func longHash(lo, hi uint64) uint64 {
	a, b := bits.Mul64(lo^hashMixer, hi^0xD6E8FEB86659FD93)
	return a ^ b
}
