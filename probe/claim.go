package probe

import (
	"math"
	"slices"
	"strings"
)

// claim is an expected answer made ready to be looked for.
type claim struct {
	doc         *document
	facts       []fact
	total       float64 // weight of all facts
	hard        float64 // weight of the hard ones
	keys        set     // every key of every token, to tell a substitute from a repetition
	negative    bool
	restrictive bool
	exceptive   bool
	weakened    bool
	kind        Kind
	lenient     bool // its polarity may change in a paraphrase
}

// fact is one thing that a claim says.
type fact struct {
	*token
	at       int // its index in the claim's document
	weight   float64
	hard     bool
	negative bool
	both     bool  // the claim says it in both polarities
	side     int32 // facts of one side share their polarity: a clause, or what a clause sets against the rest
}

// Weights of a fact by what it is. A word counts one; what follows are multiples of it.
const (
	weightLight = 0.5
	weightGram  = 0.5
	weightName  = 2.5
	weightPath  = 3
	weightValue = 2
)

func newClaim(expected string, kind Kind) *claim {
	c := &claim{doc: compile(expected, false), keys: set{}, kind: kind, lenient: kind.lenient()}
	c.gather()
	if c.total == 0 { // nothing but stop words: then they are the fact
		for i := range c.doc.tokens {
			c.doc.tokens[i].stop = false
		}
		c.gather()
	}
	for _, cl := range c.doc.clauses {
		c.negative = c.negative || cl.negative()
		c.restrictive = c.restrictive || cl.restrictive
		c.exceptive = c.exceptive || cl.exceptive
		c.weakened = c.weakened || cl.weakened
	}
	return c
}

// gather collects the distinct facts and weighs them.
func (c *claim) gather() {
	type identity struct {
		key      string
		negative bool
	}
	seen := map[identity]bool{}
	toks := c.doc.tokens
	for i := range toks {
		t := &toks[i]
		for _, k := range t.keys {
			if k != "" {
				c.keys[k] = struct{}{}
			}
		}
		id := identity{t.keys[0], c.doc.negative(t)}
		if t.aux || t.stop || seen[id] {
			continue
		}
		seen[id] = true
		f := weigh(toks, i)
		f.negative = id.negative
		if seen[identity{id.key, !id.negative}] {
			f.both = true
			for j := range c.facts {
				c.facts[j].both = c.facts[j].both || c.facts[j].keys[0] == id.key
			}
		}
		f.side = 2 * t.clause
		if t.flip {
			f.side++
		}
		c.facts = append(c.facts, f)
		c.total += f.weight
		if f.hard {
			c.hard += f.weight
		}
	}
}

// weigh says how much the token at i counts among its neighbours.
func weigh(toks []token, i int) fact {
	t := &toks[i]
	f := fact{token: t, at: i, weight: 1, hard: t.class.hard() || t.quoted || t.key}
	next := following(toks, i)
	switch {
	case t.class == gram && t.light:
		f.weight = weightGram / 2
	case t.class == gram:
		f.weight = weightGram
	case t.class == symbol:
		f.weight = weightLight
	case t.class == path, t.class == link, t.class == digest:
		f.weight = weightPath
	case t.class == name:
		f.weight = weightName
	case t.class == number || t.class == version:
		f.weight = weightValue
		if p := preceding(toks, i); p != nil && qualified(p, t) {
			f.weight = 1 // the version of a thing that is asked for itself
		}
	case next != nil && qualified(t, next):
		f.weight, f.hard = weightValue, true
	case t.key || t.quoted:
		f.weight = weightValue
	case next != nil && next.class.hard() && labelStems.has(t.keys[0][2:]), t.light:
		f.weight = weightLight
	}
	return f
}

// qualified reports whether the word w is a thing that value qualifies ("thiserror 1.0"), not a label ("port 80").
func qualified(w, value *token) bool {
	return w.class == word && !w.stop && value.class == version && value.end-w.start < 48 && !labelStems.has(w.keys[0][2:])
}

func following(toks []token, i int) *token {
	for j := i + 1; j < len(toks) && j < i+4; j++ {
		if !toks[j].aux && (!toks[j].stop || negators.has(toks[j].text)) && toks[j].clause == toks[i].clause {
			return &toks[j]
		}
	}
	return nil
}

func preceding(toks []token, i int) *token {
	for j := i - 1; j >= 0 && j > i-4; j-- {
		if !toks[j].aux && !toks[j].stop && toks[j].clause == toks[i].clause {
			return &toks[j]
		}
	}
	return nil
}

// match says how well the token got answers the one wanted, 0 to 1.
func match(want, got *token) float64 {
	switch want.class {
	case path:
		if got.class == path {
			return matchPath(want.text, got.text)
		}
		return 0
	case link:
		if got.class == link && got.text == want.text {
			return 1
		}
		return 0
	case number:
		return matchNumber(want, got)
	case version:
		if got.class == version {
			return want.rel.match(*got.rel)
		}
		return 0
	case digest:
		return matchDigest(want.text, got.text)
	case name:
		switch {
		case got.text == want.text:
			return 1
		case !got.aux && (tailOf(want.text, got.text) || tailOf(got.text, want.text)):
			return 0.8 // self.cache for cache
		}
		return 0
	}
	if sharesKey(want, got) {
		if got.aux {
			return 0.9
		}
		return 1
	}
	return 0
}

// tailOf reports whether the identifier long ends in short, after a mark that joins identifiers.
func tailOf(short, long string) bool {
	n := len(long) - len(short)
	return n > 1 && len(short) > 3 && strings.HasSuffix(long, short) && (long[n-1] == '.' || long[n-1] == ':')
}

func sharesKey(a, b *token) bool {
	for _, k := range a.keys {
		if k != "" && slices.Contains(b.keys[:], k) {
			return true
		}
	}
	return false
}

func matchNumber(want, got *token) float64 {
	if got.class != number {
		if slices.Contains(got.keys[:], want.keys[0]) { // "three"
			return 1
		}
		return 0
	}
	a, b := *want.qty, *got.qty
	switch {
	case a.unit.dim == b.unit.dim && (a.value == b.value && a.unit == b.unit || closeTo(a.value*factor(a), b.value*factor(b))):
		return 1
	case a.unit.dim != "" && b.unit.dim != "":
		return 0
	case a.value == b.value: // one has no unit
		return 0.8
	}
	return 0
}

func factor(q quantity) float64 {
	if q.unit.dim == "" {
		return 1
	}
	return q.unit.factor
}

func closeTo(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

// matchDigest compares hashes, which people shorten to seven digits and more.
func matchDigest(want, got string) float64 {
	short, long := want, got
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) < 7 || !strings.HasPrefix(long, short) {
		return 0
	}
	return 1
}

// matchPath compares paths from the file up. Equal is 1. One may be the end of the other, as summaries leave leading
// folders out: the file alone is half, its folder with it three quarters, two folders all. A path that is more precise
// than the one wanted is nearly all. Different folders are a different file.
func matchPath(want, got string) float64 {
	if want == got {
		return 1
	}
	w, g := folders(want), folders(got)
	short := min(len(w), len(g))
	for i := 1; i <= short; i++ {
		if w[len(w)-i] != g[len(g)-i] {
			return 0
		}
	}
	if len(g) >= len(w) {
		return 0.9
	}
	return math.Min(1, 0.5+0.25*float64(len(g)-1))
}

// folders splits a path into its parts, without what only says where it starts.
func folders(p string) []string {
	for _, start := range [...]string{"~/", "./", "../", "/"} {
		for strings.HasPrefix(p, start) {
			p = p[len(start):]
		}
	}
	return strings.Split(p, "/")
}
