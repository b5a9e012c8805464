package probe

import "strings"

// Turned is a statement of a record that says the opposite of what was laid down in the messages.
type Turned struct {
	Line   string // the record's, cut to 300 bytes
	Source string // the messages', cut likewise
}

// Bounds on what is compared.
const (
	maxLaid     = 300 // sentences of the messages, the newest
	maxTold     = 600 // sentences of a record
	maxToldSize = 60  // tokens of one
)

// laidDown collects, as a text of their own, the sentences that lay something down: rules, choices and values of the user,
// decisions of the assistant.
func (t *transcript) laidDown() *document {
	var picked []string
	for s := len(t.prose.sentences) - 1; s >= 0 && len(picked) < maxLaid; s-- {
		if t.laysDown(s) {
			picked = append(picked, t.quote(s, maxSource))
		}
	}
	return compile(strings.Join(picked, "\n\n# \n"), true)
}

func (t *transcript) laysDown(s int) bool {
	sen := t.prose.sentences[s]
	if n := t.content(s); n < 2 || n > maxToldSize || t.asks(s) {
		return false
	}
	user := t.voiceOf(s).user
	turned, chosen := false, false
	for i := sen.from; i < sen.to; i++ {
		tok := &t.prose.tokens[i]
		turned = turned || t.prose.negative(tok)
		chosen = chosen || tok.chosen || tok.flip
	}
	if user {
		return turned || chosen || t.rule(s, false) != noRule
	}
	return chosen && t.decides(s, false) > 0
}

// turned returns the statements of d that say the opposite of what was laid down, and that nothing in the messages says.
func (e *Exam) turned(d *document) (out []Turned) {
	if e.laid == nil {
		e.laid = e.said.laidDown()
	}
	if len(e.laid.sentences) == 0 {
		return nil
	}
	for s, told := range d.sentences[:min(len(d.sentences), maxTold)] {
		if told.to-told.from > maxToldSize || told.to-told.from < 3 {
			continue
		}
		line := d.text(s, s, maxPassage)
		c := newClaim(line, Rule)
		if len(c.facts) < 2 {
			continue
		}
		at, about := c.opposite(e.laid)
		if at < 0 || about < aboutStated {
			continue
		}
		if e.said.supports(c) {
			continue
		}
		out = append(out, Turned{Line: line, Source: e.laid.text(at, at, maxPassage)})
	}
	return out
}

// opposite returns the sentence of d that says the opposite of the claim and how much of the claim it speaks of; -1 if
// there is none, or if another says the same.
func (c *claim) opposite(d *document) (at int, about float64) {
	at = -1
	for _, w := range c.windows(d, nil) {
		if w.from != w.to {
			continue
		}
		switch r := c.read(d, w.from, w.to); {
		case r.contradicted && r.about > about && r.bare >= bareEnough:
			at, about = w.from, r.about
		case !r.contradicted && r.score >= DefaultThreshold:
			return -1, 0
		}
	}
	return at, about
}

// supports reports whether something said in the messages agrees with the claim.
func (t *transcript) supports(c *claim) bool {
	for _, w := range c.windows(t.prose, nil) {
		if r := c.read(t.prose, w.from, w.to); !r.contradicted && r.score >= DefaultThreshold {
			return true
		}
	}
	return false
}
