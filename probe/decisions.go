package probe

import (
	"cmp"
	"slices"
	"strings"
)

// decisionCues are the phrases by which people decide. The sure ones do by themselves; the others compare or choose in
// any sentence, so they need an order, a chosen thing and mostly a reason beside them.
var decisionCues = []struct {
	phrase string
	weight int
}{
	{"decided to", 3}, {"decided on", 3}, {"decision:", 3}, {"we chose", 3}, {"i chose", 3}, {"opted for", 3}, {"opted to", 3},
	{"was rejected", 3}, {"were rejected", 3}, {"rejected because", 3}, {"ruled out", 3}, {"in favor of", 3},
	{"in favour of", 3}, {"settled on", 3}, {"was chosen", 3}, {"let's go with", 3}, {"switched from", 3}, {"let's use", 2},
	{"instead of", 2}, {"rather than", 2}, {"we'll use", 2}, {"we will use", 2}, {"i'll use", 2}, {"going with", 2},
	{"go with", 2}, {"switched to", 2}, {"entschieden", 3}, {"hemos decidido", 3}, {"on a décidé", 3}, {"решили", 3},
	{"决定", 3}, {"而不是", 3}, {"改用", 3}, {"代わりに", 3},
}

var reasonCues = []string{"because", " since ", "due to", "reason", "so that", "weil", "porque", "parce", "потому", "因为"}

// asides begin sentences about the next step of the work, which decide nothing that lasts.
var asides = []string{"let me", "now i", "now let", "i'll now", "i need to", "first,", "next,", "looking at", "i see", "the issue",
	"the problem", "the test", "it looks", "it seems", "wait", "this might", "this may"}

type choice struct {
	s, weight int
	user      bool
}

// decisions asks for what was decided and not undone later, the surest and latest first. Those of the user are critical.
func (t *transcript) decisions() []Question {
	var all []choice
	for s := range t.prose.sentences {
		v := t.voiceOf(s)
		if v.user && v.end-v.start > 3000 {
			continue
		}
		if w := t.decides(s, v.user); w >= 3 {
			all = append(all, choice{s, w, v.user})
		}
	}
	slices.Reverse(all) // latest first
	all = t.inForce(all)
	slices.SortStableFunc(all, func(a, b choice) int { return cmp.Compare(b.weight, a.weight) })
	var out []Question
	for _, c := range all[:min(len(all), 4*maxDecisions)] {
		if len(out) == maxDecisions {
			break
		}
		expected := t.quote(c.s, maxFact)
		if duplicate(out, expected) {
			continue
		}
		q := Question{Category: Decision, Kind: Choice, Critical: c.user, Weight: 1, Expected: expected, Source: expected,
			Prompt: "What was decided about " + t.topic(c.s) + "?"}
		out = append(out, q)
	}
	return out
}

// decides weighs sentence s as a decision.
func (t *transcript) decides(s int, user bool) int {
	sen := t.prose.sentences[s]
	text := t.prose.source[sen.start:sen.end]
	if len(text) > 2*maxFact || t.asks(s) {
		return 0
	}
	lower := strings.ToLower(strings.TrimSpace(text))
	best := 0
	for _, c := range decisionCues {
		if strings.Contains(lower, c.phrase) {
			best = max(best, c.weight)
		}
	}
	if best == 0 || t.content(s) < 2 || !t.concrete(s) {
		return 0
	}
	if user {
		if best < 3 && !t.picks(s) && !t.pleads(s) && !t.begins(s) {
			return 0
		}
		return best + 1
	}
	for _, a := range asides {
		if strings.HasPrefix(lower, a) {
			return 0
		}
	}
	for _, r := range reasonCues {
		if strings.Contains(lower, r) {
			return best + 1
		}
	}
	return best
}

// concrete reports whether sentence s names something that was chosen or turned down.
func (t *transcript) concrete(s int) bool {
	sen := t.prose.sentences[s]
	for i := sen.from; i < sen.to; i++ {
		tok := &t.prose.tokens[i]
		if tok.chosen || tok.flip || tok.quoted || tok.class.hard() || tok.class == gram {
			return true
		}
	}
	return false
}

// picks reports whether sentence s has a thing chosen in it.
func (t *transcript) picks(s int) bool {
	sen := t.prose.sentences[s]
	for i := sen.from; i < sen.to; i++ {
		if t.prose.tokens[i].chosen {
			return true
		}
	}
	return false
}

// inForce drops the decisions, given latest first, whose choice a later one turned down or replaced by another of the
// same shape ("flight HAT072" by "flight HAT278").
func (t *transcript) inForce(all []choice) []choice {
	down, shapes := set{}, set{}
	return slices.DeleteFunc(all, func(c choice) bool {
		sen := t.prose.sentences[c.s]
		var chosen []*token
		for i := sen.from; i < sen.to; i++ {
			tok := &t.prose.tokens[i]
			if !tok.chosen {
				continue
			}
			if down.has(tok.keys[0]) || valued(tok) && shapes.has(shape(tok.text)) {
				return true
			}
			chosen = append(chosen, tok)
		}
		for _, tok := range chosen {
			if valued(tok) {
				shapes[shape(tok.text)] = struct{}{}
			}
		}
		for i := sen.from; i < sen.to; i++ {
			if tok := &t.prose.tokens[i]; !tok.stop && !tok.aux && !tok.light && t.prose.negative(tok) {
				down[tok.keys[0]] = struct{}{}
			}
		}
		return false
	})
}
