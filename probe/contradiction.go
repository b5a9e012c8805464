package probe

import "strings"

// substituted reports whether a value of the claim is missing while another of its kind stands in its place.
func (c *claim) substituted(p passage, answers []answer, softShare float64) bool {
	if softShare < 0.5 {
		return false
	}
	for i := range c.facts {
		f := &c.facts[i]
		if !f.hard || answers[i].agreed > 0 || answers[i].flipped > 0 || !valued(f.token) {
			continue
		}
		for _, t := range p.strangers {
			if rivals(f.token, t) {
				return true
			}
		}
	}
	return false
}

// valued reports whether a token is the value of something, which another value excludes.
func valued(t *token) bool {
	switch t.class {
	case number, version, digest, link:
		return true
	}
	return t.class == name && strings.ContainsAny(t.text, "0123456789")
}

func rivals(a, b *token) bool {
	switch {
	case a.class == name && b.class == name:
		return shape(a.text) == shape(b.text)
	case a.class == number && b.class == number:
		return a.qty.unit.dim == b.qty.unit.dim || a.qty.unit.dim == "" || b.qty.unit.dim == ""
	}
	return a.class == b.class
}

// shape reduces an identifier to its pattern of letters, digits and marks.
func shape(s string) string {
	var b strings.Builder
	last := byte(0)
	for i := 0; i < len(s); i++ {
		k := s[i]
		switch {
		case isDigit(k):
			k = '0'
		case isAlnum(k) || k >= 0x80:
			k = 'a'
		}
		if k != last {
			b.WriteByte(k)
		}
		last = k
	}
	return b.String()
}

// opposed reports whether the passage has the opposite of a missing word of the claim ("disabled" for "enabled") in an
// otherwise equal statement.
func (c *claim) opposed(d *document, lo, hi int, answers []answer) bool {
	got := 0.0
	for i := range answers {
		got += c.facts[i].weight * answers[i].agreed
	}
	for i := range c.facts {
		f := &c.facts[i]
		rest := c.total - f.weight
		if f.class != word || answers[i].agreed > 0 || rest == 0 || got/rest < aboutSame {
			continue
		}
		if same, _ := c.antonym(d, lo, hi, f); same {
			return true
		}
	}
	return false
}

// antonym looks for an opposite of f that the claim itself does not have, in the same polarity and in the other one.
func (c *claim) antonym(d *document, lo, hi int, f *fact) (same, other bool) {
	for _, a := range antonyms[f.keys[0][2:]] {
		key := "w:" + a
		if c.keys.has(key) {
			continue
		}
		places := d.within(key, lo, hi)
		for _, i := range places[:min(len(places), maxOccurrences)] {
			if d.negative(&d.tokens[i]) == f.negative {
				same = true
			} else {
				other = true
			}
		}
	}
	return same, other
}

// invert answers a missing word by its opposite in the opposite polarity ("never disable" by "keep enabled").
func (c *claim) invert(d *document, lo, hi int, answers []answer) (any bool) {
	for i := range c.facts {
		f := &c.facts[i]
		if f.class != word || answers[i].agreed > 0 || answers[i].flipped > 0 {
			continue
		}
		if _, other := c.antonym(d, lo, hi, f); other {
			answers[i].agreed = 1
			any = true
		}
	}
	return any
}

// rivalChoice reports whether the passage chose what the claim names without choosing it, and says nothing for what the
// claim chose: the rejected option taken for the chosen one.
func (c *claim) rivalChoice(p passage, answers []answer) bool {
	choosing := false
	for i := range c.facts {
		if c.facts[i].chosen {
			choosing = true
			if answers[i].agreed > 0 {
				return false
			}
		}
	}
	if !choosing {
		return false
	}
	for _, t := range p.chosen {
		for i := range c.facts {
			if f := &c.facts[i]; !f.chosen && !f.light && match(f.token, t) > 0 {
				return true
			}
		}
	}
	return false
}

// exchanged reports whether what the claim sets aside ("instead of X") is what the passage has in its place, and the other
// way round.
func (c *claim) exchanged(answers []answer) bool {
	kept, set := false, false
	for i := range c.facts {
		f, a := &c.facts[i], &answers[i]
		if f.light {
			continue
		}
		kept = kept || !f.negative && a.aside && !a.plain
		set = set || f.flip && f.negative && a.plain && !a.aside
	}
	return kept && set
}

// swapped reports whether two values of the claim have changed places: each stands in the passage, but beside the words
// of another.
func (c *claim) swapped(d *document, lo, hi int, answers []answer) bool {
	var values []int
	for i := range c.facts {
		if f := &c.facts[i]; (f.class == number || f.class == version) && answers[i].agreed > 0 {
			values = append(values, i)
		}
	}
	if len(values) < 2 || len(values) > 8 {
		return false
	}
	beside := c.distinct(values)
	for n, i := range values {
		at := d.within(c.facts[i].keys[0], lo, hi)
		if len(at) == 0 || len(at) > maxOccurrences {
			continue
		}
		own, others := false, false
		for _, pos := range at {
			near := neighbours(d, int(pos))
			for m := range values {
				if meets(near, beside[m]) {
					own, others = own || m == n, others || m != n
				}
			}
		}
		if others && !own {
			return true
		}
	}
	return false
}

// distinct returns for each of the values the words beside it that stand beside no other.
func (c *claim) distinct(values []int) []set {
	count := map[string]int{}
	beside := make([]set, len(values))
	for n, i := range values {
		beside[n] = neighbours(c.doc, c.facts[i].at)
		for w := range beside[n] {
			count[w]++
		}
	}
	for _, s := range beside {
		for w := range s {
			if count[w] > 1 {
				delete(s, w)
			}
		}
	}
	return beside
}

func meets(a, b set) bool {
	for w := range a {
		if b.has(w) {
			return true
		}
	}
	return false
}

// neighbours collects the words that say what a value is: up to three before it, back to the value before; "from" and
// "to" count.
func neighbours(d *document, at int) set {
	out := set{}
	for i := at - 1; i >= 0 && i > at-8 && len(out) < 3; i-- {
		t := &d.tokens[i]
		if t.class == number || t.class == version {
			break
		}
		if t.text == "from" || t.text == "to" || !t.stop && !t.light {
			out[t.keys[0]] = struct{}{}
		}
	}
	return out
}
