package probe

import (
	"cmp"
	"slices"
	"strings"
)

// valueLabels name values that stay in force, each with the kinds of token that can be one. Those of a moment ("line
// 42", "exit code 1") are left out.
var valueLabels = map[string][]class{}

func init() {
	for list, classes := range map[string][]class{
		"port timeout limit max maximum min minimum threshold depth budget interval quota deadline retries ttl": {number, version},
		"version release":             {version, number},
		"url uri endpoint":            {link},
		"address host hostname email": {name, link},
		"branch":                      {path, name},
		"id user ticket order account tag model project namespace region zone seed bucket cluster database reservation": {name, digest},
		"issue pr": {number, name},
	} {
		for label := range strings.FieldsSeq(list) {
			valueLabels[label] = classes
		}
	}
}

// runtimes are named right before their release, without the word "version".
var runtimes = words(`go golang python node nodejs java ruby php rust typescript kotlin swift postgres postgresql mysql redis
	kubernetes django rails react vue angular ubuntu debian alpine terraform`)

// value is a named value as somebody stated it.
type value struct {
	name     string
	text     string // the value alone, folded
	expected string // the words from the name to the value
	kind     Kind
	s        int // sentence
	user     bool
	pasted   bool // stated in a document rather than a person's own words
	times    int  // how often it was stated
}

// values asks for the values in force: per name the newest, the user's first. One that only the assistant stated must
// have come up twice.
func (t *transcript) values() []Question {
	newest := map[string]int{}
	var all []value
	for s := range t.prose.sentences {
		v := t.voiceOf(s)
		if v.user && v.end-v.start > 3000 && int(t.prose.tokens[t.prose.sentences[s].from].start) > v.start+1500 {
			continue // deep in a pasted text
		}
		if t.asks(s) {
			continue
		}
		for _, val := range t.valuesIn(s, v.user) {
			if i, ok := newest[val.name]; ok {
				if all[i].text == val.text {
					val.times += all[i].times
				}
				val.user = val.user || all[i].user // restated by the other side, it is still the user's
				all[i].name = ""
			}
			val.pasted = v.end-v.start > maxWords
			newest[val.name] = len(all)
			all = append(all, val)
		}
	}
	all = slices.DeleteFunc(all, func(v value) bool { return v.name == "" || !v.user && v.times < 2 })
	slices.SortStableFunc(all, func(a, b value) int {
		if a.user != b.user {
			if a.user {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.s, a.s)
	})
	var out []Question
	critical := 0
	for _, v := range all[:min(len(all), maxValues)] {
		q := Question{Category: Recall, Kind: v.kind, Weight: 1, Expected: v.expected, Source: t.quote(v.s, maxSource),
			Prompt: "What is the " + v.name + "?", Superseded: v.namesakes(all)}
		if v.user && !v.pasted {
			critical++
			q.Critical = critical <= 2
		}
		out = append(out, q)
	}
	return out
}

// namesakes are the values of other things that go by the name of v with a word before it: beside "the port", an upload
// port, which a record may call the port too.
func (v *value) namesakes(all []value) (out []string) {
	for i := range all {
		if w := &all[i]; strings.HasSuffix(w.name, " "+v.name) && w.text != v.text && len(out) < maxSuperseded {
			out = append(out, v.name+" "+w.text)
		}
	}
	return out
}

// maxWords is the length, in bytes, up to which a message counts as a person's own words: longer ones are pasted, or a
// template, and full of examples.
const maxWords = 1500

// valueMarks are what a value may be dressed in.
var valueMarks = strings.NewReplacer("`", "", "*", "", `"`, "")

// maxValue bounds, in bytes, the words from a name to its value.
const maxValue = 80

// valuesIn finds the named values of sentence s.
func (t *transcript) valuesIn(s int, user bool) (out []value) {
	sen := t.prose.sentences[s]
	for i := sen.from; i < sen.to; i++ {
		tok := &t.prose.tokens[i]
		if tok.aux || !tok.class.hard() || t.prose.negative(tok) {
			continue
		}
		at, name := t.label(i, sen.from)
		if at < 0 {
			continue
		}
		expected := t.stated(at, i)
		if len(expected) > maxValue || strings.ContainsAny(expected, "{}<>|\n") {
			continue
		}
		expected = valueMarks.Replace(expected)
		out = append(out, value{name: name, text: tok.text, expected: expected, kind: valueKind(tok), s: s, user: user, times: 1})
	}
	return out
}

// stated returns the words from the name at token at to its value at i, without values that it had before: of "limit from 80
// to 443" the verb that says which of the two holds stands elsewhere.
func (t *transcript) stated(at, i int) string {
	toks := t.prose.tokens
	for j := at + 1; j < i; j++ {
		if !toks[j].aux && toks[j].class == toks[i].class {
			named := j - 1
			for named > at && (toks[named].stop || toks[named].aux) {
				named--
			}
			return t.prose.source[toks[at].start:toks[named].end] + " " + t.prose.source[toks[i].start:toks[i].end]
		}
	}
	return t.prose.source[toks[at].start:toks[i].end]
}

func valueKind(tok *token) Kind {
	switch tok.class {
	case number:
		return Number
	case version:
		return Version
	case link:
		return URL
	}
	return Identifier
}

// label finds the word that names the value at i: before it in its clause, with nothing between but small words and
// earlier values ("from 80 to 443"). A release may also be named by its runtime ("go 1.26").
func (t *transcript) label(i, from int) (at int, name string) {
	toks := t.prose.tokens
	v := &toks[i]
	for j := i - 1; j >= from && j >= i-10 && toks[j].clause == v.clause; j-- {
		p := &toks[j]
		if p.aux || p.stop || p.class == number || p.class == version {
			continue
		}
		if p.class != word {
			return -1, ""
		}
		if classes, ok := valueLabels[p.text]; ok && slices.Contains(classes, v.class) && steady(v) {
			return t.named(j, from)
		}
		if v.class == version && j == i-1 && (runtimes.has(p.text) || len(v.rel.parts) > 2) {
			return j, p.text
		}
		return -1, ""
	}
	return -1, ""
}

// steady leaves out what is no value: a name without a digit or joint ("ID missing"), a file for a branch, one digit,
// which mostly counts.
func steady(v *token) bool {
	switch v.class {
	case number:
		return v.qty.unit.dim != "" || v.qty.value >= 10
	case path:
		return !strings.Contains(lastPart(v.text, '/'), ".")
	case name:
		return len(v.text) > 2 && strings.ContainsAny(v.text, "0123456789_-@.") && strings.Trim(v.text, "0123456789/:") != ""
	}
	return true
}

// named joins the label at j with the word that tells it from others of its kind: "backend port". It returns where the
// name begins.
func (t *transcript) named(j, from int) (at int, name string) {
	toks := t.prose.tokens
	k := j - 1
	if k >= from && toks[k].class == word && !toks[k].stop && !toks[k].light && !toks[k].aux && toks[k].clause == toks[j].clause {
		return k, toks[k].text + " " + toks[j].text
	}
	return j, toks[j].text
}
