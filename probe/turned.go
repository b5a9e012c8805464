package probe

import (
	"slices"
	"strings"
)

// Turned is a statement of a record that says the opposite of what was laid down in the messages.
type Turned struct {
	Line   string // the record's, cut to 300 bytes
	Source string // the messages', cut likewise

	s int // sentence of the record
}

// Bounds on what is compared.
const (
	maxLaid = 300 // sentences of one side in the messages, the newest
	maxTold = 400 // sentences of a record
)

// laidDown collects, as a text of their own, the sentences that lay something down: rules, choices and values of the user,
// decisions of the assistant. Of each side the newest are taken.
func (t *transcript) laidDown() *document {
	var picked []string
	var users, assistants int
	for s := len(t.prose.sentences) - 1; s >= 0; s-- {
		of := &assistants
		if t.voiceOf(s).user {
			of = &users
		}
		if *of < maxLaid && t.laysDown(s) {
			*of++
			picked = append(picked, t.quote(s, maxSource))
		}
	}
	return compile(strings.Join(picked, "\n\n# \n"), true)
}

func (t *transcript) laysDown(s int) bool {
	sen := t.prose.sentences[s]
	if n := t.content(s); n < 2 || t.asks(s) {
		return false
	}
	user := t.voiceOf(s).user
	turned, chosen, contrast := false, false, false
	for i := sen.from; i < sen.to; i++ {
		tok := &t.prose.tokens[i]
		turned = turned || t.prose.negative(tok)
		chosen = chosen || tok.chosen
		contrast = contrast || tok.flip && !tok.stop
	}
	if user {
		return turned || chosen || contrast || t.rule(s, false) != noRule
	}
	return contrast || chosen && t.decides(s, false) > 0
}

// turned returns the statements of d that say the opposite of what was laid down, and that nothing in the messages says.
func (e *Exam) turned(d *document) []Turned {
	if e.laid == nil {
		e.laid = e.said.laidDown()
	}
	out := e.misreported(d)
	if len(e.laid.sentences) == 0 {
		return out
	}
	seen := set{}
	for s, told := range d.sentences[:min(len(d.sentences), maxTold)] {
		if n := told.to - told.from; n > maxSentence || n < 3 {
			continue
		}
		line := d.text(s, s, maxSource) // as long as what it is held against
		if seen.has(line) {
			continue
		}
		seen[line] = struct{}{}
		c := newClaim(unlabelled(line), Rule)
		c.report()
		if len(c.facts) < 2 {
			continue
		}
		at, about := c.opposite(e.laid)
		if at < 0 || about < aboutStated || e.said.supports(c, about) {
			continue
		}
		out = append(out, Turned{Line: clip(line, maxPassage), Source: e.laid.text(at, at, maxPassage), s: s})
	}
	return out
}

// unlabelled cuts the label before a statement: "User's rule: …", "Not done yet: …", but not one that denies it: "Rejected: …".
func unlabelled(line string) string {
	label, rest, found := strings.Cut(line, ": ")
	if !found || len(label) > 40 || strings.ContainsAny(label, "`/0123456789") {
		return line
	}
	fields := strings.Fields(fold(label))
	if slices.ContainsFunc(fields, func(w string) bool { return statusWords[w] != 0 }) {
		return rest // how far it is, not whether it holds
	}
	for _, w := range fields {
		if negators.has(w) || lexicalNegators.has(w) || restrictive.has(w) {
			return line
		}
	}
	return rest
}

// reporting are the words that only say who said it.
var reporting = words(`user users rule rules said says asked wants wanted decision settled decided assistant team go
	ahead feel free fine`)

// report leaves out of a claim the words that only report it.
func (c *claim) report() {
	c.facts = slices.DeleteFunc(c.facts, func(f fact) bool {
		if f.class != word || !reporting.has(f.text) {
			return false
		}
		c.total -= f.weight
		return true
	})
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
		case r.contradicted && r.about > about && (r.bare >= bareEnough || r.about >= aboutWhole && r.bare >= bareValue && c.sets() && d.sets(w.from)):
			at, about = w.from, r.about
		case !r.contradicted && r.score >= DefaultThreshold && r.score >= about:
			return -1, 0
		}
	}
	return at, about
}

// aboutWhole is how much of a choice a sentence speaks of that may say more besides: a record leaves reasons out.
const aboutWhole = 0.8

// sets reports whether the claim sets something against the rest: "instead of X".
func (c *claim) sets() bool {
	return slices.ContainsFunc(c.facts, func(f fact) bool { return f.flip })
}

// sets reports whether sentence s does.
func (d *document) sets(s int) bool {
	return slices.ContainsFunc(d.tokens[d.sentences[s].from:d.sentences[s].to], func(t token) bool { return t.flip && !t.stop })
}

// almost is how much less than a contradiction a support may speak of a claim and still count.
const almost = 0.1

// supports reports whether a sentence said in the messages agrees with the claim about as much as another one speaks
// against it.
func (t *transcript) supports(c *claim, about float64) bool {
	for _, w := range c.windows(t.prose, nil) {
		if w.from != w.to {
			continue
		}
		if r := c.read(t.prose, w.from, w.to); !r.contradicted && r.score >= max(DefaultThreshold, about-almost) {
			return true
		}
	}
	return false
}

// misreported returns the statements of d that tell a task of the plan or a check as it is not, and that it tells right
// nowhere. Checks share words, so a sentence is about the one that it fits best.
func (e *Exam) misreported(d *document) (out []Turned) {
	told, known := d.tellTasks(e.plan, true), subjects(e.checks)
	nearest := map[int]float64{}
	for _, q := range e.checks {
		subject, _ := q.standing()
		for _, w := range subject.windows(d, nil) {
			if near := subject.about(d, w.from); w.from == w.to && near >= aboutChecked {
				nearest[w.from] = max(nearest[w.from], near+subject.bareIn(d, w.from))
			}
		}
	}
	for _, q := range e.checks {
		told = append(told, q.outcome(d, nearest, known))
	}
	for _, a := range told {
		if a.Contradicted {
			out = append(out, Turned{Line: a.Found, Source: a.Expected, s: a.s})
		}
	}
	return out
}
