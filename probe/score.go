package probe

import (
	"slices"
	"strings"
)

// Score says how well actual, an answer in any words, agrees with expected: 1 fully, 0 not at all or against it. It
// compares by type: numbers by value and unit, versions by component, paths from the file up, identifiers whole, prose
// by the stems of the words that matter, and never without the polarity of what is said. An answer that only says that
// it does not know scores 0. Time is linear in the two texts.
func Score(expected, actual string) float64 { return compare(expected, actual, Prose).score }

// hedged is the most that an answer gets which offers another value beside the right one.
const hedged = 0.5

// compare is Score for an expected answer of a known kind.
func compare(expected, actual string, kind Kind) finding {
	want, got := normal(expected), normal(actual)
	switch {
	case want == "" || got == "":
		return finding{from: -1}
	case want == got, strings.Trim(want, marks) == strings.Trim(got, marks) && strings.Trim(want, marks) != "":
		return finding{score: 1, from: -1}
	}
	if f, ok := agree(want, got); ok {
		return f
	}
	if blankAnswer(got) {
		return finding{from: -1}
	}
	c := newClaim(expected, kind)
	if c.total == 0 { // signs only
		return finding{from: -1}
	}
	d := compile(actual, true)
	f := c.ask(d, d.refusals(), nil)
	if f.score > hedged && c.hedges(d) {
		f.score = hedged
	}
	return f
}

// agree compares two answers that begin with a yes or a no, where nothing else is expected than that word.
func agree(want, got string) (f finding, ok bool) {
	w, g := agreement(want), agreement(got)
	if w == 0 || g == 0 || len(strings.Fields(want)) > 1 && w == g {
		return finding{}, false // what follows the word is compared
	}
	if w == g {
		return finding{score: 1, from: -1}, true
	}
	return finding{from: -1, contradicted: true}, true
}

// marks are what a text may be dressed in without being another.
const marks = " .,:;!?\"'`*_()[]{}-"

// blankAnswers are the ways to leave an answer empty.
var blankAnswers = words(`unknown n/a na none nil null tbd unspecified unclear undetermined unavailable ? - unsure unbekannt
	inconnu desconocido неизвестно 未知 不明 不知道`)

func blankAnswer(got string) bool {
	return blankAnswers.has(got) || blankAnswers.has(strings.Trim(got, marks))
}

// A refusal speaks only of the record and of its own ignorance: metaStems, or one of metaVerbs denied of a metaNoun.
var (
	metaStems = words(`summary record text context answer information informat mention specify specifi stat provid found find
		say giv available known know definit explicit present includ contain determin question conversat transcript
		document here anywhere detail data evidenc indicat unknown clear enough sure appear exist recall remember`)
	metaVerbs = words(`mention specify specifi stat provid indicat disclos determin contain say known know includ`)
	metaNouns = words(`summary record text context transcript conversat document informat`)
)

// refusals marks the sentences that say that there is no answer. One that goes on to give it ("… but the port is 80")
// is none.
func (d *document) refusals() []bool {
	out := make([]bool, len(d.sentences))
	for i, s := range d.sentences {
		var content, meta int
		var verb, noun, denied, told bool
		for j := s.from; j < s.to; j++ {
			t := &d.tokens[j]
			negative := d.negative(t)
			denied = denied || negative || blankAnswers.has(t.text)
			if t.stop || t.aux {
				continue
			}
			content++
			if t.class != word {
				told = told || denied && !negative && t.class.hard()
				continue
			}
			st := t.keys[0][2:]
			if metaStems.has(st) || blankAnswers.has(t.text) {
				meta++
			}
			verb = verb || metaVerbs.has(st)
			noun = noun || metaNouns.has(st)
		}
		out[i] = denied && !told && (content == meta || verb && noun)
	}
	return out
}

// finding is what a document says to a claim.
type finding struct {
	score        float64
	from, to     int  // the sentences of the best passage, inclusive; from is -1 without one
	contradicted bool // the document says something else about the same
	mistold      bool // it has another value in the same words
}

// Of all sentences, the sixteen that share the most with a claim are read closely, alone and with their neighbours.
const closeReads = 16

// A passage is about a claim from aboutSame on; from aboutStated on, and with little else in it, it is the claim itself
// stated otherwise, which counts even where the record also states it right.
const (
	aboutSame   = 0.6
	aboutStated = 0.7
	bareEnough  = 0.6
	bareValue   = 0.4 // of a value: it is told in few words
)

// ask looks for the claim in d. Sentences marked in skip are passed over; a contradiction whose sentence is among
// excused (folded texts) is a known earlier state of things and not held against the document.
func (c *claim) ask(d *document, skip []bool, excused []string) finding {
	best := finding{from: -1}
	against := finding{from: -1}
	var about, bare float64
	for _, w := range c.windows(d, skip) {
		r := c.read(d, w.from, w.to)
		switch {
		case r.contradicted && r.about > about:
			against, about, bare = finding{from: w.from, to: w.to, mistold: r.mistold}, r.about, r.bare
		case !r.contradicted && r.score > best.score:
			best = finding{score: r.score, from: w.from, to: w.to}
		}
	}
	if about < aboutSame || d.excused(against, excused) {
		return best
	}
	if best.score >= DefaultThreshold {
		switch {
		case about < aboutStated, best.within(against): // what is around the right passage does not undo it
			return best
		case !against.within(best) && bare < c.bareness():
			return best
		}
		best.score = min(best.score, 0.5)
		best.contradicted = true
		return best
	}
	against.score = min(best.score, 0.2)
	against.contradicted = true
	return against
}

// bareness is how much of a passage must be the claim's for it to be the claim stated otherwise.
func (c *claim) bareness() float64 {
	switch c.kind {
	case Number, Version, Identifier, URL:
		return bareValue
	}
	return bareEnough
}

// within reports whether f's passage is a part of g's.
func (f finding) within(g finding) bool { return f.from >= g.from && f.to <= g.to }

// excused reports whether the passage repeats, word for word or told otherwise, one of the texts known to be out of date.
func (d *document) excused(f finding, texts []string) bool {
	if len(texts) == 0 || f.from < 0 {
		return false
	}
	for s := f.from; s <= f.to; s++ {
		line := normal(d.text(s, s, maxPassage))
		for _, t := range texts {
			if strings.Contains(line, t) || len(line) > 12 && strings.Contains(t, line) {
				return true
			}
		}
	}
	for _, t := range texts {
		if c := newClaim(t, Rule); c.total > 0 {
			if r := c.read(d, f.from, f.to); !r.contradicted && r.score >= DefaultThreshold {
				return true
			}
		}
	}
	return false
}

// wideReads is how many of those a long claim reads with as many sentences as it needs.
const wideReads = 4

// span is a range of sentences, inclusive.
type span struct{ from, to int }

// windows lists the passages worth reading closely: the sentences that share the most weight with the claim, and what
// stands beside them.
func (c *claim) windows(d *document, skip []bool) []span {
	if d.shared == nil {
		d.shared, d.seen = make([]float64, len(d.sentences)), make([]int32, len(d.sentences))
	}
	touched := d.touched[:0]
	for i, f := range c.facts {
		for n, k := range f.keys {
			if k == "" {
				continue
			}
			weight := f.weight
			if n > 0 { // alike, perhaps not the same
				weight /= 2
			}
			s := 0
			for _, pos := range d.postings[k] {
				if s >= len(d.sentences) || int(pos) >= d.sentences[s].to {
					s = d.sentenceAfter(int(pos), s)
				}
				if d.seen[s] != int32(i+1) {
					if d.seen[s] == 0 {
						touched = append(touched, int32(s))
					}
					d.seen[s] = int32(i + 1)
					d.shared[s] += weight
				}
			}
		}
	}
	slices.Sort(touched) // the first of equals is read
	var top []int
	var weights []float64
	for _, t := range touched {
		s, w := int(t), d.shared[t]
		d.shared[t], d.seen[t] = 0, 0
		if skip != nil && skip[s] {
			continue
		}
		if len(top) == closeReads && weights[closeReads-1] >= w {
			continue
		}
		at := 0
		for at < len(top) && weights[at] >= w {
			at++
		}
		top = slices.Insert(top, at, s)
		weights = slices.Insert(weights, at, w)
		top, weights = top[:min(len(top), closeReads)], weights[:min(len(weights), closeReads)]
	}
	d.touched = touched
	return c.spread(d, top, skip)
}

// spread adds to each sentence its neighbours, and for a long claim as many as it needs.
func (c *claim) spread(d *document, top []int, skip []bool) []span {
	open := func(s int) bool { return s >= 0 && s < len(d.sentences) && (skip == nil || !skip[s]) }
	var out []span
	for i, s := range top {
		out = append(out, span{s, s})
		if open(s + 1) {
			out = append(out, span{s, s + 1})
		}
		if open(s - 1) {
			out = append(out, span{s - 1, s})
		}
		if n := len(c.facts); n > maxSentence/2 && i < wideReads {
			to := s
			for open(to+1) && d.sentences[to].to-d.sentences[s].from < n+n/4 {
				to++
			}
			out = append(out, span{s, to})
		}
	}
	return out
}
