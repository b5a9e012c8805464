package probe

import (
	"strings"
	"unicode/utf8"
)

// contrast is a stretch of a clause that is set against the rest: what follows "instead of", what was switched from.
type contrast struct {
	next, on bool   // begins after this word; has begun
	long     bool   // lasts to the clause's end, past small words
	said     bool   // something was set aside by now
	until    string // the words that end it; blank for contrastEnds or the clause's end
}

func (c *contrast) begin() { c.next, c.long, c.said, c.until = true, false, false, "" }
func (c *contrast) step()  { c.next, c.on = false, c.on || c.next }

// observe takes the next word for what it says about polarity: it may open a clause, negate the open one, or set off a
// contrast.
func (b *builder) observe(w *spelling) {
	b.settle(w)
	if b.opener == "" {
		b.opener = w.text
	}
	last := b.prev[0]
	joined := last.text == "and" || last.text == "or" || last.text == "but"
	switch {
	case w.breaks, w.negates && joined, w.text == "use" && last.text != "" && !last.stops && !choiceStems.has(last.stem),
		joined && (w.text == "always" || w.text == "use" || w.text == "then" || w.text == "instead" || w.text == "keep"):
		prev := b.prev
		b.breakClause()
		b.prev, b.opener = prev, w.text
	}
	c := b.clause()
	switch {
	case w.text == "not" && last.text != "" && !last.helps && !last.breaks && !last.denies:
		b.contrast.begin() // "SQLite not PostgreSQL"
	case w.negates:
		c.negator = true
	case w.denies:
		c.lexical = true
	case w.cancels && last.negates: // "do not forget", "not only"
		c.negator = b.section.negator
	}
	c.restrictive = c.restrictive || w.restricts
	c.exceptive = c.exceptive || w.excepts
	c.weakened = c.weakened || w.weakens
	b.observeContrast(w, last)
}

func (b *builder) observeContrast(w, last *spelling) {
	switch {
	case w.sets, w.text == "over" && b.chose(), comparing[last.text+" "+w.text]:
		b.contrast.begin()
	case w.without:
		b.contrast = contrast{next: true, long: true}
	case w.text == "of" && (last.text == "favor" || last.text == "favour"):
		b.favour()
	case w.text == "replaced" && beForms.has(last.text):
		b.eachInClause(func(t *token) bool { t.flip = true; return true })
	case w.stem == "replac":
		b.contrast = contrast{next: true, until: " with by "}
	case w.text == "from" && b.switches():
		b.contrast = contrast{next: true, until: " to into "}
	case b.contrast.on && b.contrast.until == "" && w.ends && !b.contrast.long:
		b.contrast = contrast{}
	case b.contrast.on && (w.text == "use" && b.contrast.said || b.contrast.until != "" && strings.Contains(b.contrast.until, " "+w.text+" ")):
		b.contrast = contrast{}
	}
}

// subordinators begin a clause that ends at its comma: "given that we can't wait, use the cache".
var subordinators = words(`given since because if when while although though as after before once unless whenever`)

// replies are words that answer what was said before and deny nothing in their own sentence: "No, the port is 80".
var replies = words(`no nope nein non нет`)

// settle decides whether the comma before w ended the clause.
func (b *builder) settle(w *spelling) {
	if !b.pending {
		return
	}
	b.pending = false
	said, first := 0, ""
	b.eachInClause(func(t *token) bool { said, first = said+1, t.text; return said < 2 })
	if w.restarts || w.negates || w.denies || subordinators.has(b.opener) || said == 1 && replies.has(first) {
		b.breakClause()
	}
}

// favour turns the rest of a clause around "in favor of": what stands before it was given up.
func (b *builder) favour() {
	if b.clause().negative() {
		b.contrast.begin()
		return
	}
	b.eachInClause(func(t *token) bool { t.flip = true; return true })
}

// eachInClause calls f for the tokens of the open clause, latest first, until it returns false.
func (b *builder) eachInClause(f func(t *token) bool) {
	open := int32(len(b.doc.clauses) - 1)
	for i := len(b.doc.tokens) - 1; i >= b.from && b.doc.tokens[i].clause == open; i-- {
		if !f(&b.doc.tokens[i]) {
			return
		}
	}
}

func (b *builder) chose() bool { return b.saw(choiceStems) }

// switches reports whether the open clause speaks of a change whose goal is not named yet: "switch from", not "changed to
// derive from".
func (b *builder) switches() (found bool) {
	b.eachInClause(func(t *token) bool {
		found = t.class == word && switchStems.has(t.keys[0][2:])
		return !found && t.text != "to"
	})
	return found
}

func (b *builder) saw(stems set) (found bool) {
	b.eachInClause(func(t *token) bool {
		found = t.class == word && stems.has(t.keys[0][2:])
		return !found
	})
	return found
}

// endLine looks whether line was a heading, and if so what it says about the lines under it: that they are rejected
// ("Do not:"), or merely read.
func (b *builder) endLine(line string) {
	b.fresh = true
	trimmed := strings.TrimSpace(line)
	item := strings.HasPrefix(trimmed, "-") || strings.HasPrefix(trimmed, "*") || trimmed != "" && isDigit(trimmed[0])
	hash := strings.HasPrefix(trimmed, "#")
	bold := strings.HasPrefix(trimmed, "**")
	colon := strings.HasSuffix(strings.TrimRight(trimmed, "*_ "), ":") || strings.HasSuffix(trimmed, "：")
	switch {
	case trimmed == "":
	case hash || colon && (!item || bold):
		b.section = heading(trimmed)
	case !item && b.section != (clause{}) && !strings.HasPrefix(line, " "):
		b.section = clause{reading: b.section.reading, status: b.section.status}
	}
	*b.clause() = b.section
}

// heading reads what a short heading says about its lines. Long ones are sentences, not headings.
func heading(line string) clause {
	var c clause
	fields := strings.Fields(fold(strings.Trim(line, "#*_:： ")))
	if len(fields) > 8 {
		return c
	}
	writes := false
	for _, w := range fields {
		w = strings.Trim(w, ",.()")
		switch s := stem(w); {
		case len(fields) <= 4 && (negators.has(w) || lexicalNegators.has(w) || s == "discard" || w == "don'ts"):
			c.negator = true
		case s == "read" || s == "view" || s == "inspect":
			c.reading = true
		case writeStems.has(s):
			writes = true
		}
	}
	c.reading = c.reading && !writes
	c.status = int8(headStatus(fields))
	return c
}

// cue is a negation, restriction or contrast in a script without blanks.
type cue struct {
	text                            string
	negator, restrictive, exceptive bool
	contrast                        bool
}

// cues are found by their first letter. A benign one only looks like a negation ("不同").
var cues = map[rune][]cue{}

func init() {
	add := func(list string, c cue) {
		for _, text := range strings.Fields(list) {
			c.text = text
			r, _ := utf8.DecodeRuneInString(text)
			cues[r] = append(cues[r], c)
		}
	}
	add("不同 不错 不少 不仅 不但 不断 不过 不管 不足 未来 别的 别名 没关系", cue{})
	add("除非 未经 之前", cue{exceptive: true})
	add("而不是 而非 代替", cue{contrast: true})
	add(`不要 不得 不能 不可以 不可 不允许 不准 不许 不应该 不应 不会 不再 不用 不使用 不 禁止 严禁 切勿 请勿 勿 别 从不 从未
		绝不 永不 决不 没有 未 避免 拒绝 被否决 否决 放弃 弃用 ないで しない ません ないこと ない じゃない 않 금지 말고 마세요 마십시오 안됩니다`,
		cue{negator: true})
	add("只能 仅限 仅 只 だけ のみ 오직", cue{restrictive: true})
}

// foreignCues cuts run at its cues. tail is the index of the first piece that stands in contrast, or -1.
func foreignCues(run string) (pieces []string, c clause, tail int) {
	tail = -1
	from := 0
	for i, r := range run {
		if i < from {
			continue
		}
		hit, ok := cueAt(run[i:], r)
		if !ok || r == '别' && i > 0 {
			continue
		}
		if hit == (cue{text: hit.text}) { // benign
			continue
		}
		if i > from {
			pieces = append(pieces, run[from:i])
		}
		from = i + len(hit.text)
		c.negator = c.negator || hit.negator
		c.restrictive = c.restrictive || hit.restrictive
		c.exceptive = c.exceptive || hit.exceptive
		if hit.contrast && tail < 0 {
			tail = len(pieces)
		}
	}
	if from < len(run) {
		pieces = append(pieces, run[from:])
	}
	return pieces, c, tail
}

func cueAt(s string, r rune) (cue, bool) {
	for _, c := range cues[r] {
		if strings.HasPrefix(s, c.text) {
			return c, true
		}
	}
	return cue{}, false
}

// markChoices finds what a sentence says was chosen: the object of "use X", the subject of "X was chosen".
func (b *builder) markChoices(from, to int) {
	toks := b.doc.tokens
	for i := from; i < to; i++ {
		t := &toks[i]
		if t.class != word || t.aux || !choiceStems.has(t.keys[0][2:]) && !(t.text == "with" && i > from && goForms.has(toks[i-1].text)) {
			continue
		}
		if choiceParticiples.has(t.text) && i > from && beForms.has(toks[i-1].text) {
			b.choose(from, i-2, -1)
			continue
		}
		b.choose(i+1, min(to, i+8), 1)
	}
}

// choose marks the first words of weight in [from, to) that stand together, or the last ones before "to" when step is
// negative. The first of them is the key.
func (b *builder) choose(from, to, step int) {
	toks := b.doc.tokens
	i := from
	if step < 0 {
		i = to
	}
	plain := func(t *token) bool {
		return !t.stop && !t.aux && !(t.class == word && choiceStems.has(t.keys[0][2:]))
	}
	for i >= from && i < len(toks) && (step < 0 || i < to) && !plain(&toks[i]) {
		i += step
	}
	first := -1
	for n := 0; n < maxChosen && i >= from && i < len(toks) && (step < 0 || i < to); i += step {
		t := &toks[i]
		if t.aux {
			continue
		}
		if !plain(t) || first >= 0 && (t.clause != toks[first].clause || t.flip != toks[first].flip) {
			break
		}
		t.chosen = !b.doc.negative(t)
		first = i
		if step > 0 && n == 0 {
			t.key = t.chosen
		}
		n++
	}
	if step < 0 && first >= 0 {
		toks[first].key = toks[first].chosen
	}
}

// maxChosen bounds the words of what was chosen.
const maxChosen = 3
