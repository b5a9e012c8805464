package probe

// reading is the close comparison of a claim with one passage.
type reading struct {
	score        float64
	about        float64 // share of the claim's weight that the passage speaks of, rightly or not
	bare         float64 // share of the passage's words that belong to the claim
	contradicted bool
	mistold      bool // by another value in the place of the claim's, in words that are otherwise its own
}

// passage is what a reading collects about the words of a window.
type passage struct {
	content, own                   int // tokens of weight, and those of them that the claim has too
	negative                       bool
	restrictive, exceptive, weaken bool
	contrast                       bool     // something is set against the rest
	strangers                      []*token // values that the claim does not have
	chosen                         []*token
}

// answer is how one fact fared.
type answer struct {
	agreed  float64 // best match of the same polarity
	flipped float64 // best match of the opposite one
	plain   bool    // matched what the passage states
	aside   bool    // matched what it does: "instead of X"
}

// maxOccurrences bounds how many places of one fact are compared in a passage that repeats itself.
const maxOccurrences = 24

// maxOthers bounds how many values and choices of a passage are held against those of a claim.
const maxOthers = 16

// read compares the claim with the sentences [from, to] of d.
func (c *claim) read(d *document, from, to int) reading {
	lo, hi := d.sentences[from].from, d.sentences[to].to
	p := c.survey(d, lo, hi)
	answers := make([]answer, len(c.facts))
	var soft, softGot float64
	for i := range c.facts {
		f := &c.facts[i]
		answers[i] = f.find(d, lo, hi)
		if !f.hard {
			soft += f.weight
			softGot += f.weight * max(answers[i].agreed, answers[i].flipped)
		}
	}
	inverted := c.invert(d, lo, hi, answers)
	if softGot == 0 && soft > 0 && p.content-p.own > 1 { // a 3 among other words is not the 3 that was meant
		for i := range c.facts {
			if small(&c.facts[i]) {
				answers[i] = answer{}
			}
		}
	}
	c.forgive(p, answers, inverted)
	softShare := 1.0
	if soft > 0 {
		softShare = softGot / soft
	}
	r := c.tally(answers, p)
	if !c.lenient {
		r.contradicted = r.contradicted || c.swapped(d, lo, hi, answers) || c.rivalChoice(p, answers) ||
			c.opposed(d, lo, hi, answers) || c.exchanged(answers)
	}
	if r.about > 0 && (from == to || !c.kind.value()) && c.substituted(p, answers, softShare) { // a value is told in one sentence
		r.contradicted = r.contradicted || !c.lenient || c.kind == Request && softShare >= aboutStated
		r.bare += 1 / float64(p.content) // the other value stands where the claim's own would
		r.mistold = r.contradicted && softShare >= sameWords && r.bare >= sameWords
	}
	if r.contradicted {
		r.score = 0
		r.about = max(r.about, softShare)
	}
	return r
}

// find looks the fact up in the tokens [lo, hi) of d.
func (f *fact) find(d *document, lo, hi int) (a answer) {
	for _, k := range f.keys {
		if k == "" {
			continue
		}
		places := d.within(k, lo, hi)
		for _, i := range places[:min(len(places), maxOccurrences)] {
			t := &d.tokens[i]
			v := match(f.token, t)
			if v > 0 {
				a.aside, a.plain = a.aside || t.flip && d.negative(t), a.plain || !d.negative(t)
			}
			if d.negative(t) == f.negative {
				a.agreed = max(a.agreed, v)
			} else {
				a.flipped = max(a.flipped, v)
			}
		}
	}
	return a
}

// survey walks the passage once.
func (c *claim) survey(d *document, lo, hi int) (p passage) {
	last := int32(-1)
	for i := lo; i < hi; i++ {
		t := &d.tokens[i]
		if t.clause != last {
			last = t.clause
			cl := d.clauses[last]
			p.negative = p.negative || cl.negative()
			p.restrictive = p.restrictive || cl.restrictive
			p.exceptive = p.exceptive || cl.exceptive
			p.weaken = p.weaken || cl.weakened
		}
		p.restrictive = p.restrictive || t.text == "just"
		if t.stop || t.aux {
			continue
		}
		p.contrast = p.contrast || t.flip
		p.content++
		if c.names(t) {
			p.own++
		} else if len(p.strangers) < maxOthers && valued(t) && !d.negative(t) {
			p.strangers = append(p.strangers, t)
		}
		if t.chosen && len(p.chosen) < maxOthers {
			p.chosen = append(p.chosen, t)
		}
	}
	return p
}

// names reports whether the claim has the token t too.
func (c *claim) names(t *token) bool {
	if t.class == version || t.class == digest { // their other keys only say that they are alike
		return c.keys.has(t.keys[0])
	}
	for _, k := range t.keys {
		if k != "" && c.keys.has(k) {
			return true
		}
	}
	return false
}

// sameWords is the share of words that a passage and a claim must have in common, seen from both, for a value that
// differs to be told wrong, whatever else a paraphrase may change.
const sameWords = 0.8

// small reports whether f is a number so short that it stands in any text by chance.
func small(f *fact) bool {
	return f.class == number && f.qty.unit.dim == "" && f.qty.value > -100 && f.qty.value < 100
}

// forgive takes flipped matches as agreement where the polarity differs in form only: "don't commit unless asked" and
// "only commit when asked"; "never disable x" and "keep x enabled". A lenient claim takes them at half.
func (c *claim) forgive(p passage, answers []answer, inverted bool) {
	share := 0.0
	switch {
	case c.kind == Path: // whatever is said of it, it is named
		share = 1
	case c.negative && c.exceptive && p.restrictive, c.restrictive && p.negative && p.exceptive, inverted:
		share = 1
	case c.lenient:
		share = 0.5
	}
	if share == 0 {
		return
	}
	for i := range answers {
		a := &answers[i]
		if v := a.flipped * share; v > a.agreed {
			a.agreed, a.flipped = v, 0
		}
	}
}

// reconcile looks at each side of the claim as a whole. Where most of its words stand in the opposite polarity only, or
// a value or the thing chosen does, the passage contradicts it; where few do, they have merely moved to another part of
// the sentence, and count.
func (c *claim) reconcile(answers []answer, p passage) (contradicted bool) {
	agreed, flipped := map[int32]float64{}, map[int32]float64{}
	total := 0.0
	for i := range c.facts {
		f, a := &c.facts[i], &answers[i]
		w := min(f.weight, 1)
		total += w
		switch {
		case f.both && p.contrast, a.agreed > 0 && a.flipped > 0: // stands on both sides: tells nothing
		case a.flipped > 0:
			flipped[f.side] += w * a.flipped
			contradicted = contradicted || f.key || valued(f.token) && !small(f)
		default:
			agreed[f.side] += w * a.agreed
		}
	}
	for i := range c.facts {
		f, a := &c.facts[i], &answers[i]
		switch turned := flipped[f.side]; {
		case turned == 0, f.both && p.contrast:
		case turned <= agreed[f.side]:
			a.agreed = max(a.agreed, a.flipped)
		case c.kind.value(): // "I don't have the ID": the value itself is not denied
		case turned >= total/5, f.flip: // too much of it, or all that was set aside
			contradicted = true
		}
	}
	return contradicted
}

// tally weighs the answers into a score.
func (c *claim) tally(answers []answer, p passage) (r reading) {
	var got, hardGot, flipped float64
	if !c.lenient {
		r.contradicted = c.reconcile(answers, p)
	}
	for i := range c.facts {
		f, a := &c.facts[i], answers[i]
		got += f.weight * a.agreed
		if f.hard {
			hardGot += f.weight * a.agreed
		}
		if a.flipped > a.agreed {
			flipped += f.weight * (a.flipped - a.agreed)
		}
	}
	cover := got / c.total
	r.about = min(1, (got+flipped)/c.total)
	if p.content > 0 {
		r.bare = float64(p.own) / float64(p.content)
	}
	r.score = cover
	if cover < 0.5 { // a few words in common are no answer
		r.score = 2 * cover * cover
	}
	if c.hard > 0 {
		r.score *= 0.6 + 0.4*hardGot/c.hard
	}
	if !c.lenient {
		r.score *= c.strength(p)
	}
	r.score = min(r.score, 1)
	return r
}

// strength is below one for a passage that says the same in a weaker way: without its "only", with an exception that the
// rule does not have, as a mere suggestion.
func (c *claim) strength(p passage) float64 {
	s := 1.0
	if c.restrictive && !p.restrictive && !(p.negative && p.exceptive) {
		s *= 0.55
	}
	if c.negative && !c.exceptive && p.negative && p.exceptive {
		s *= 0.55
	}
	if p.weaken && !c.weakened {
		s *= 0.55
	}
	return s
}
