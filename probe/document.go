package probe

import (
	"sort"
	"strings"
)

// document is a text made ready to be asked: its tokens in order, cut into clauses and sentences, and where each key
// stands. It is built in one pass and asked any number of times.
type document struct {
	source    string
	tokens    []token
	clauses   []clause
	sentences []sentence
	postings  map[string][]int32 // token indexes by key, ascending

	// Used by windows, all zero between two calls; so a document is for one goroutine.
	shared  []float64 // weight by sentence
	seen    []int32   // the last fact that was found in it, from one
	touched []int32   // sentences with any
}

// clause is the reach of a negation.
type clause struct {
	negator, lexical bool // "not"; "avoid"
	restrictive      bool
	exceptive        bool
	weakened         bool
	reading          bool // stands under a heading of things merely read
	status           int8 // stands under a heading of things done (1), or of open or failed ones (-1)
}

// negative reports whether the clause says no; a lexical negator undoes another.
func (c clause) negative() bool { return c.negator != c.lexical }

// sentence is a range of tokens and of source bytes.
type sentence struct{ from, to, start, end int }

// maxSentence bounds a sentence in tokens, so that a text without full stops is still cut into passages.
const maxSentence = 96

// compile reads text. With index false no postings are made: an expected text is only walked.
func compile(text string, index bool) *document {
	b := builder{doc: &document{source: text}, fresh: true, prev: noWords, spellings: map[string]*spelling{}}
	b.doc.tokens = make([]token, 0, len(text)/6+1)
	b.read(text)
	if index {
		b.doc.index()
	}
	return b.doc
}

func (d *document) index() {
	d.postings = make(map[string][]int32, len(d.tokens))
	for i := range d.tokens {
		for _, k := range d.tokens[i].keys {
			if k != "" {
				d.postings[k] = append(d.postings[k], int32(i))
			}
		}
	}
}

// within returns the positions of key inside [from, to).
func (d *document) within(key string, from, to int) []int32 {
	p := d.postings[key]
	lo := sort.Search(len(p), func(i int) bool { return int(p[i]) >= from })
	hi := lo + sort.Search(len(p)-lo, func(i int) bool { return int(p[lo+i]) >= to })
	return p[lo:hi]
}

// negative reports the polarity of a token: its clause's, turned by a contrast ("instead of X").
func (d *document) negative(t *token) bool { return d.clauses[t.clause].negative() != t.flip }

// sentenceOf returns the index of the sentence that holds token i.
func (d *document) sentenceOf(i int) int {
	return sort.Search(len(d.sentences), func(s int) bool { return d.sentences[s].to > i })
}

// sentenceAfter is sentenceOf for a token that lies in sentence s or behind it, mostly not far.
func (d *document) sentenceAfter(i, s int) int {
	for step := 1; s < len(d.sentences) && d.sentences[s].to <= i; step *= 2 {
		if next := s + step; next < len(d.sentences) && d.sentences[next].from <= i {
			s = next
			continue
		}
		if step > 1 {
			return s + sort.Search(min(step, len(d.sentences)-s), func(n int) bool { return d.sentences[s+n].to > i })
		}
		s++
	}
	return s
}

// text returns the source of the sentences [from, to], cut to limit bytes.
func (d *document) text(from, to, limit int) string {
	s := d.source[d.sentences[from].start:d.sentences[to].end]
	return strings.TrimSpace(clip(s, limit))
}

// clip cuts s to at most limit bytes at a rune's edge.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return s[:limit]
}

// noWord stands where there is no word.
var (
	noWord  = &spelling{}
	noWords = [2]*spelling{noWord, noWord}
)

// builder turns lexemes into a document.
type builder struct {
	doc     *document
	fresh   bool // no word yet in this line
	pending bool // a comma was seen; whether it ends the clause depends on the next word
	section clause
	opener  string       // the first word of the open clause
	prev    [2]*spelling // the last words of the clause, newest first; never nil

	spellings map[string]*spelling
	from      int // first token of the open sentence
	start     int // its first byte
	contrast
}

func (b *builder) read(text string) {
	lex := lexer{text: text}
	b.doc.clauses = append(b.doc.clauses, clause{})
	lineStart := 0
	for {
		lx, ok := lex.next()
		if !ok {
			break
		}
		switch lx.kind {
		case lexChunk:
			b.chunk(&lex, lx)
		case lexRun:
			b.run(lx)
		case lexSymbol:
			b.add(token{class: symbol, text: lx.text, keys: [3]string{"s:" + lx.text}, light: true, start: int32(lx.start), end: int32(lx.start + len(lx.text))})
		case lexComma:
			b.pending = true
		case lexClause:
			b.breakLabel(lx.text)
		case lexSentence:
			b.endSentence(lex.pos)
		case lexLine:
			if wrapped(text, lineStart, lx.start) {
				lineStart = lex.pos
				continue
			}
			b.endSentence(lx.start)
			b.endLine(text[lineStart:lx.start])
			lineStart = lex.pos
			b.start = lex.pos
		}
	}
	b.endSentence(len(text))
}

// chunk classifies one chunk and adds its tokens. A unit that follows its number is drawn into it.
func (b *builder) chunk(lex *lexer, lx lexeme) {
	if b.fresh && listNumber(lex, lx.text) {
		return
	}
	from := len(b.doc.tokens)
	w := b.spell(lx.text)
	b.observe(w)
	b.doc.tokens = append(b.doc.tokens, w.tokens...)
	added := b.doc.tokens[from:]
	if len(added) == 1 && (added[0].class == version || added[0].class == number && added[0].qty.unit.dim == "") {
		b.attachUnit(lex, &added[0])
	}
	for i := range added {
		t := &added[i]
		t.start, t.end = int32(lx.start), int32(lex.pos)
		t.quoted = lx.quoted
		b.place(t)
	}
	b.contrast.step()
	b.prev[1], b.prev[0] = b.prev[0], w
	b.full()
}

// wrapped reports whether the line that ends at end goes on in the next one, as prose broken to a width does. A line that
// begins with an order or a negation stands for itself.
func wrapped(text string, start, end int) bool {
	if end-start < 60 || end-start > 130 || end+1 >= len(text) || text[end+1] < 'a' || text[end+1] > 'z' ||
		strings.IndexByte(".:;!?,|", text[end-1]) >= 0 {
		return false
	}
	next := text[end+1 : min(len(text), end+16)]
	if i := strings.IndexAny(next, " \n,."); i >= 0 {
		next = next[:i]
	}
	return !restarters.has(next) && !negators.has(next) && !orderVerbs.has(next)
}

// listNumber reports whether a chunk at a line's start is the number of a list item: "1. …", "2) …".
func listNumber(lex *lexer, chunk string) bool {
	if len(chunk) > 3 || strings.Trim(chunk, "0123456789") != "" || lex.pos+1 >= len(lex.text) {
		return false
	}
	c := lex.text[lex.pos]
	return (c == '.' || c == ')') && lex.text[lex.pos+1] == ' '
}

// attachUnit reads ahead for the unit of the number t.
func (b *builder) attachUnit(lex *lexer, t *token) {
	rest := lex.text[lex.pos:]
	trimmed := strings.TrimLeft(rest, " -")
	if len(rest)-len(trimmed) != 1 {
		return
	}
	end := 0
	for end < len(trimmed) && end < 12 && isAlnum(trimmed[end]) {
		end++
	}
	u, ok := bareUnit(fold(trimmed[:end]))
	if !ok {
		return
	}
	if q, ok := parseQuantity(t.text); ok {
		q.unit = u
		*t = quantityToken(t.text, q)
		lex.pos += len(rest) - len(trimmed) + end
	}
}

// run adds a run of a script without blanks: its negations set aside, the rest as pairs of letters.
func (b *builder) run(lx lexeme) {
	b.settle(noWord)
	rest, c, tail := foreignCues(lx.text)
	cl := b.clause()
	cl.negator = cl.negator || c.negator
	cl.restrictive = cl.restrictive || c.restrictive
	cl.exceptive = cl.exceptive || c.exceptive
	at := lx.start
	for i, piece := range rest {
		if i == tail { // from here on what was not chosen
			b.contrast.on = true
		}
		off := strings.Index(lx.text[at-lx.start:], piece)
		if off > 0 {
			at += off
		}
		from := len(b.doc.tokens)
		b.doc.tokens = gramTokens(b.doc.tokens, piece, at)
		for j := from; j < len(b.doc.tokens); j++ {
			b.place(&b.doc.tokens[j])
		}
		at = min(at+len(piece), lx.start+len(lx.text))
		b.full()
	}
	if tail == len(rest) {
		b.contrast.on = true
	}
}

func (b *builder) add(t token) {
	b.settle(noWord)
	b.doc.tokens = append(b.doc.tokens, t)
	b.place(&b.doc.tokens[len(b.doc.tokens)-1])
	b.full()
}

func (b *builder) place(t *token) {
	b.fresh = false
	t.clause = int32(len(b.doc.clauses) - 1)
	t.flip = b.contrast.on
	b.contrast.said = b.contrast.said || t.flip && !t.stop
}

func (b *builder) clause() *clause { return &b.doc.clauses[len(b.doc.clauses)-1] }

// breakClause opens a new clause, which keeps what its section says about it.
func (b *builder) breakClause() {
	b.pending = false
	b.contrast = contrast{}
	b.prev, b.opener = noWords, ""
	b.doc.clauses = append(b.doc.clauses, b.section)
}

// breakLabel ends a clause at a strong break. A short label hands its polarity on: "Rejected: Redis".
func (b *builder) breakLabel(sign string) {
	label := *b.clause()
	n := 0
	b.eachInClause(func(*token) bool { n++; return n < 4 })
	b.breakClause()
	if n > 0 && n < 4 && (strings.HasPrefix(sign, ":") || sign == "：") {
		*b.clause() = label
	}
}

// full ends a sentence that grew past its bound; the negation of its clause reaches on.
func (b *builder) full() {
	if n := len(b.doc.tokens); n-b.from >= maxSentence {
		b.closeSentence(int(b.doc.tokens[n-1].end))
	}
}

func (b *builder) endSentence(end int) {
	b.closeSentence(end)
	b.breakClause()
}

func (b *builder) closeSentence(end int) {
	if n := len(b.doc.tokens); n > b.from {
		b.markChoices(b.from, n)
		b.doc.sentences = append(b.doc.sentences, sentence{from: b.from, to: n, start: b.start, end: end})
		b.from = n
	}
	b.start = end
}
