package probe

import (
	"cmp"
	"slices"
	"strings"
)

// strength says how much of a standing rule a sentence is.
type strength int

const (
	noRule strength = iota
	wish            // "don't use mocks there", "it must fit one line"
	ruling          // "never …", "from now on …", "only use …"
)

// standing are the phrases that make a rule of any sentence of a user.
var standing = []string{
	"from now on", "going forward", "for the rest of", "under no circumstances", "at all times", "at no point",
	"without exception", "off limits", "off-limits", "not allowed to", "is forbidden", "are forbidden", "is prohibited",
	"are prohibited", "only use", "use only", "make sure you always", "make sure you never", "make sure to always", "make sure to never",
	"auf keinen fall", "ab jetzt", "ab sofort", "niemals", "darf nicht", "dürfen nicht", "ausschließlich",
	"a partir de ahora", "nunca", "jamás", "siempre", "prohibido", "bajo ninguna",
	"à partir de maintenant", "jamais", "toujours", "désormais", "interdit", "il ne faut pas", "en aucun cas",
	"никогда", "всегда", "нельзя", "с этого момента", "запрещ",
	"不要", "不得", "禁止", "严禁", "切勿", "请勿", "务必", "必须", "始终", "永远", "绝不", "从现在起", "今后", "只能", "ないで", "必ず", "常に",
	"항상", "절대", "하지 마", "금지",
}

// fillers may stand before an imperative.
var fillers = words(`please and but also so just then or you we ok okay yes no oh again remember note important btw actually
	hey well still`)

// unruly follow a "don't" that is no order: "don't know why".
var unruly = words(`think know see understand want like care mind believe remember recall seem get worry feel hate it we i you
	suppose agree happen happens occur occurs`)

// rules asks for the user's standing rules, the strongest and latest first.
func (t *transcript) rules(requests []voice) []Question {
	type found struct {
		s, at  int
		degree strength
	}
	var all []found
	for _, v := range requests {
		from, to := t.sentencesOf(v)
		document := v.end-v.start > 3000 // pasted: only what is put strongly
		for s := from; s < to; s++ {
			degree := t.rule(s, document)
			if degree == noRule || document && degree < ruling {
				continue
			}
			all = append(all, found{s, v.at, degree})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.degree, a.degree), cmp.Compare(b.s, a.s))
	})
	var out []Question
	for _, f := range all[:min(len(all), 4*maxRules)] {
		if len(out) == maxRules {
			break
		}
		expected := t.quote(f.s, maxFact)
		if t.revoked(expected, f.s) || duplicate(out, expected) {
			continue
		}
		out = append(out, Question{Category: Recall, Kind: Rule, Critical: f.degree == ruling, Weight: 1, Expected: expected,
			Source: expected, Prompt: "Which rule did the user set about " + t.topic(f.s) + "?"})
	}
	return out
}

func duplicate(questions []Question, expected string) bool {
	for _, q := range questions {
		if Score(q.Expected, expected) > 0.9 && Score(expected, q.Expected) > 0.9 {
			return true
		}
	}
	return false
}

// rule says whether sentence s, of a user, sets a rule: an order, not a report ("it never returns") nor a question. In a
// pasted document only what begins with its order is one.
func (t *transcript) rule(s int, document bool) strength {
	sen := t.prose.sentences[s]
	text := t.prose.source[sen.start:sen.end]
	if n := t.content(s); n < 2 || n > 60 || t.asks(s) || len(text) > 4*maxFact {
		return noRule
	}
	lower := strings.ToLower(text)
	for _, phrase := range standing {
		if !document && strings.Contains(lower, phrase) && (phrase[0] >= 0x80 || wordIn(lower, phrase)) {
			return ruling
		}
	}
	degree := noRule
	order := true // only fillers so far in this clause
	clause := t.prose.tokens[sen.from].clause
	var before *token
	for i := sen.from; i < sen.to && (order || !document); i++ {
		tok := &t.prose.tokens[i]
		if tok.aux {
			continue
		}
		if tok.clause != clause {
			clause, order = tok.clause, true
			if before != nil && breakers.has(tok.text) { // "which never returns"
				order = false
			}
		}
		degree = max(degree, t.ordered(i, sen.to, order, before))
		order = order && fillers.has(tok.text)
		before = tok
	}
	return degree
}

// ordered judges one word of a sentence. first is set where an imperative may stand; before is the word before.
func (t *transcript) ordered(i, end int, first bool, before *token) strength {
	tok := &t.prose.tokens[i]
	next, after := t.word(i+1, end), t.word(i+2, end)
	modal := before != nil && strings.Contains(" must should shall may please always not ", " "+before.text+" ")
	switch tok.text {
	case "never", "always":
		reports := hasAnySuffix(next, "s") && !hasAnySuffix(next, "ss", "us") // "always returns"
		if (first || modal) && !reports && !unruly.has(next) && (next != "forget" || after == "to") {
			return ruling
		}
	case "not":
		if before != nil && before.text == "must" {
			return ruling
		}
		if before != nil && (before.text == "should" || before.text == "do" && t.imperative(i-1)) && !unruly.has(next) {
			return t.prohibition(i, end)
		}
	case "mustn't":
		return ruling
	case "don't", "dont":
		if first && !unruly.has(next) {
			return t.prohibition(i, end)
		}
	case "must":
		if before != nil && before.text != "there" && before.text != "i" {
			return wish
		}
	case "shouldn't":
		return wish
	case "avoid":
		if first {
			return wish
		}
	}
	return noRule
}

// word returns the text of token i, "" past end.
func (t *transcript) word(i, end int) string {
	if i >= end {
		return ""
	}
	return t.prose.tokens[i].text
}

// imperative reports whether token i stands where an order begins.
func (t *transcript) imperative(i int) bool {
	for j := i - 1; j >= 0 && t.prose.tokens[j].clause == t.prose.tokens[i].clause; j-- {
		if !fillers.has(t.prose.tokens[j].text) {
			return false
		}
	}
	return true
}

// prohibition tells a standing "don't" from one of the moment.
func (t *transcript) prohibition(i, end int) strength {
	for j := i; j < end; j++ {
		switch t.prose.tokens[j].text {
		case "unless", "ever", "any", "anything", "without", "anywhere", "again", "until":
			return ruling
		}
	}
	return wish
}

// wordIn reports whether phrase stands in s between other than letters.
func wordIn(s, phrase string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(phrase)
		if (i == 0 || !isAlnum(s[i-1])) && (end == len(s) || !isAlnum(s[end])) {
			return true
		}
		from = end
	}
}

// revoked reports whether a later sentence of the user takes the rule of sentence s back.
func (t *transcript) revoked(rule string, s int) bool {
	c := newClaim(rule, Rule)
	for _, w := range c.windows(t.prose, nil) {
		if w.from <= s || w.from != w.to || !t.voiceOf(w.from).user || t.asks(w.from) {
			continue
		}
		if r := c.read(t.prose, w.from, w.to); r.contradicted && r.about >= aboutStated {
			return true
		}
	}
	return false
}

// topic names what sentence s is about without saying what it says.
func (t *transcript) topic(s int) string {
	sen := t.prose.sentences[s]
	var picked []string
	for i := sen.to - 1; i >= sen.from && len(picked) < 3; i-- {
		if tok := &t.prose.tokens[i]; !tok.stop && !tok.aux && !tok.light && tok.class != gram {
			picked = append(picked, tok.text)
		}
	}
	if len(picked) == 0 {
		return "how to work"
	}
	slices.Reverse(picked)
	return strings.Join(picked, ", ")
}
