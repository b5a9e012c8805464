package probe

import (
	"bytes"
	"strings"
)

// A short number stands somewhere in any long output: as the number of a line, in a time, among sizes. One that a record
// tells of something is known only where it stands beside its unit, or beside a word of the sentence that tells it. In what
// people say themselves it is known wherever it stands.

// shortNumber is how many digits a number has at most that may stand anywhere by chance.
const shortNumber = 4

// evidence is what is looked for beside a number.
type evidence struct {
	dim   string   // of its unit, "" if it has none
	words []string // beginnings of the words of its sentence
	found bool
}

// maxLooks bounds how often a vocabulary looks what stands beside a number. What comes after is believed.
const maxLooks = 20_000

// What is read beside a number, in bytes.
const (
	lookBack  = 96
	lookAhead = 48
)

// prove asks for evidence of the number that way spells, with its digits' hash. Long numbers and those of several parts
// need none.
func (v *vocabulary) prove(way *spelled, text string, e *evidence) {
	if len(way.atoms) != 1 || len(text) > shortNumber || strings.Trim(text, "0123456789") != "" {
		return
	}
	way.evidence = e
	if v.numbers == nil {
		v.numbers = map[uint64][]*evidence{}
	}
	v.numbers[way.atoms[0]] = append(v.numbers[way.atoms[0]], e)
}

// sight notes that the number with the hash h was read in text, between from and to. own is set where a person said it.
func (v *vocabulary) sight(h uint64, text []byte, from, to int, own bool) {
	for _, e := range v.numbers[h] {
		if e.found {
			continue
		}
		v.looks++
		e.found = own || v.looks > maxLooks || e.stands(text, from, to)
	}
}

// stands reports whether the number between from and to of text, which is JSON, stands for what the evidence is of.
func (e *evidence) stands(text []byte, from, to int) bool {
	if e.dim != "" && besideUnit(text, from, to, e.dim) || moneySigns[e.dim] != "" && member(text, from, to) {
		return true
	}
	if e.dim != "" && counted(text, from, to) { // what has no unit may be a line's number itself
		return false
	}
	var low [lookBack + lookAhead]byte
	near := text[max(0, from-lookBack):min(len(text), to+lookAhead)]
	for i, c := range near[:min(len(near), len(low))] {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	for _, w := range e.words {
		if bytes.Contains(low[:min(len(near), len(low))], []byte(w)) {
			return true
		}
	}
	return false
}

// moneySigns stand before their number, by dimension.
var moneySigns = map[string]string{"usd": "$", "eur": "€", "gbp": "£"}

// besideUnit reports whether a unit of the dimension stands behind the number, or its sign before it.
func besideUnit(text []byte, from, to int, dim string) bool {
	if sign := moneySigns[dim]; sign != "" && bytes.HasSuffix(text[:from], []byte(sign)) {
		return true
	}
	for to < len(text) && bytes.IndexByte([]byte(" -_"), text[to]) >= 0 {
		to++
	}
	end := to
	for end < len(text) && end-to < 16 && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end] >= 0x80) {
		end++
	}
	name := fold(string(text[to:end]))
	if u, ok := units[name]; ok && u.dim == dim {
		return true
	}
	return dim == "size" && (name == "k" || name == "m" || name == "g") // 64M, as listings have it
}

// member reports whether the number is all that a member of an object holds: prices in data have no unit.
func member(text []byte, from, to int) bool {
	before := bytes.TrimRight(text[max(0, from-4):from], " ")
	after := bytes.TrimLeft(text[to:min(len(text), to+4)], ` \`)
	return bytes.HasSuffix(before, []byte(`":`)) && len(after) > 0 && bytes.IndexByte([]byte(",}n"), after[0]) >= 0
}

// counted reports whether the number between from and to of text is the number of a line, or a part of a time, a date or a
// longer number.
func counted(text []byte, from, to int) bool {
	before, after := from-1, byte(0)
	if to < len(text) {
		after = text[to]
	}
	digit := func(i int) bool { return i >= 0 && i < len(text) && isDigit(text[i]) }
	switch {
	case before >= 0 && bytes.IndexByte([]byte(".:-"), text[before]) >= 0 && digit(before-1):
		return true // 10:35:41.835, 2026-01-05
	case bytes.IndexByte([]byte(".:-"), after) >= 0 && digit(to+1):
		return true
	case before >= 0 && text[before] == ':' && after == ':':
		return true // main.go:835:
	}
	for before >= 0 && (text[before] == ' ' || text[before] == '0') {
		before--
	}
	starts := before < 0 || text[before] == '"' || before > 0 && text[before-1] == '\\' && (text[before] == 'n' || text[before] == 't')
	return starts && (after == ':' || after == '|' || after == '-' || after == '\\' && to+1 < len(text) && text[to+1] == 't' || bytes.HasPrefix(text[to:], []byte("→")) || bytes.HasPrefix(text[to:], []byte(`\u2192`)))
}
