package probe_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"killick/chat"
)

// A spoilt summary is the faithful one with one critical fact told wrong, or with things that never were.

// spoil is one way to tell a fact wrong.
type spoil string

const (
	neverDropped  spoil = "a rule turned round"
	valueChanged  spoil = "a value changed"
	optionSwapped spoil = "the rejected option chosen"
	failurePassed spoil = "a failed check told as passed"
	pathChanged   spoil = "a path changed"
	doneSwapped   spoil = "done and open swapped"
)

var spoils = []spoil{neverDropped, valueChanged, optionSwapped, failurePassed, pathChanged, doneSwapped}

// contradicting returns the summary with one fact told wrong, nil where it has none of that sort. The fact is told right
// nowhere else in it.
func (s *sheet) contradicting(how spoil) *sheet {
	rng := rand.New(rand.NewPCG(s.seed, 13+uint64(slices.Index(spoils, how))))
	a := &author{rng}
	for _, i := range rng.Perm(len(s.facts)) {
		line, replace := a.wrong(s.facts[i], how)
		if line == "" || how == valueChanged && s.of.says(line) {
			continue
		}
		out := &sheet{prose: s.prose, seed: s.seed}
		for j, f := range s.facts {
			told := s.lines[j]
			switch {
			case j == i:
				told = line
			case repeats(f, s.facts[i]):
				continue
			case replace != nil:
				told = replace(told)
			}
			out.facts, out.lines = append(out.facts, f), append(out.lines, told)
		}
		return out
	}
	return nil
}

// says reports whether the value that a line tells, its last word, stands somewhere in the talk.
func (t *talk) says(line string) bool {
	words := strings.Fields(line)
	value := strings.TrimRight(words[len(words)-1], ".")
	return slices.ContainsFunc(t.msgs, func(m chat.Message) bool { return strings.Contains(string(m.Raw), value) })
}

// repeats reports whether the fact f says by the way what the wrong one is about.
func repeats(f, wrong fact) bool {
	if len(wrong.words) == 0 {
		return false
	}
	return slices.ContainsFunc(f.words, func(w string) bool {
		return strings.Contains(w, wrong.words[0]) || len(w) > 20 && strings.Contains(wrong.words[0], w)
	})
}

// wrong tells f wrong, and gives what has to be changed in the rest of the summary for it to agree with itself. A blank
// line says that f cannot be told wrong that way.
func (a *author) wrong(f fact, how spoil) (line string, replace func(string) string) {
	switch {
	case how == neverDropped && f.topic == aRule && !f.whole:
		return a.wrongRule(f), nil
	case how == valueChanged && f.topic == aValue && strings.ContainsAny(f.value, "0123456789"):
		other := f
		other.value = a.otherDigits(f.value)
		return a.tellValue(other), replacer(f.value, other.value)
	case how == optionSwapped && f.topic == aDecision:
		return swapOptions(f.words[0]), nil
	case how == failurePassed && f.topic == anOutcome && !f.good:
		f.good = true
		return a.tellOutcome(f), nil
	case how == pathChanged && f.topic == aFile:
		other := f
		other.value = a.otherPath(f.value)
		return a.tellFile(other), replacer(f.value, other.value)
	case how == doneSwapped && f.topic == aTodo:
		f.good = !f.good
		return a.tell(f), nil
	}
	return "", nil
}

func replacer(from, to string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, from, to) }
}

func (a *author) wrongRule(f fact) string {
	o := parseOrder(f.words[0])
	switch {
	case o.only:
		return a.one("Do not use ", "Avoid using ") + o.what + "."
	case o.orders:
		return a.one("Never ", "Do not ", "User's rule: do not ") + o.what + "."
	case o.instead != "":
		return a.one("Use "+o.what+", not "+o.instead, "Use "+o.what+" instead of "+o.instead) + "."
	}
	return a.one("Always ", "The user wants you to ", "User's rule: ", "Go ahead and ") + o.what + "."
}

// otherDigits changes one digit of a value in the middle of its last number.
func (a *author) otherDigits(v string) string {
	var at []int
	for i := range len(v) {
		if '0' <= v[i] && v[i] <= '9' {
			at = append(at, i)
		}
	}
	i := at[len(at)-1]
	return v[:i] + string('0'+(v[i]-'0'+1+byte(a.rng.IntN(8)))%10) + v[i+1:]
}

var options = regexp.MustCompile(`(?i)^(.*?\b(?:use|uses|using|return|returns|with) )([^\s,]+(?: [^\s,]+){0,4}?) (instead of|rather than|in favor of) ([^\s,]+(?: [^\s,]+){0,4}?)([.,;)]* (?:when|since|because|for|in)\b.*|[.,;)]*)$`)

// swapOptions lets the rejected option of a decision be the chosen one, "" where the sentence does not name both simply.
func swapOptions(s string) string {
	m := options.FindStringSubmatch(strings.TrimRight(s, ".:! "))
	if m == nil || strings.EqualFold(m[2], m[4]) || min(len(m[2]), len(m[4])) < 5 {
		return ""
	}
	return m[1] + m[4] + " " + m[3] + " " + m[2] + m[5] + "."
}

// otherPath moves a file to another folder, or gives it another name.
func (a *author) otherPath(p string) string {
	cut := strings.LastIndexByte(p, '/') + 1
	dir, base := p[:cut], p[cut:]
	if cut > 0 && a.rng.IntN(2) == 0 {
		return dir + a.one("shared/", "legacy/", "internal2/") + base
	}
	name, ext, _ := strings.Cut(base, ".")
	return dir + name + a.one("_handler", "_v2", "_service") + "." + ext
}

// invention is a sort of thing that a summary may make up.
type invention string

const (
	inventedPath     invention = "a path"
	inventedID       invention = "an id"
	inventedLink     invention = "a link"
	inventedNumber   invention = "a number with its unit"
	inventedDecision invention = "a decision"
	inventedMix      invention = "three of them"
)

var inventions = []invention{inventedPath, inventedID, inventedLink, inventedNumber, inventedDecision, inventedMix}

// inventing adds to the summary what stands nowhere in the talk.
func (s *sheet) inventing(what invention) *sheet {
	a := &author{rand.New(rand.NewPCG(s.seed, 17+uint64(slices.Index(inventions, what))))}
	out := &sheet{facts: slices.Clone(s.facts), lines: slices.Clone(s.lines), prose: s.prose, seed: s.seed}
	kinds := []invention{what}
	if what == inventedMix {
		kinds = nil
		for _, i := range a.rng.Perm(len(inventions) - 1)[:3] {
			kinds = append(kinds, inventions[i])
		}
	}
	for _, k := range kinds {
		f, line := a.invent(k)
		out.facts, out.lines = append(out.facts, f), append(out.lines, line)
	}
	return out
}

func (a *author) invent(k invention) (fact, string) {
	word := func() string {
		return a.one("ledger", "quota", "beacon", "harvest", "turbine", "mosaic", "lantern", "voucher", "glacier", "orchard")
	}
	switch k {
	case inventedPath:
		p := a.one("services/", "internal/", "src/modules/") + word() + "/" + word() + "_" + a.one("sync", "queue", "mapper") + a.one(".go", ".ts", ".py")
		return fact{topic: aFile}, a.tellFile(fact{value: p, times: 3})
	case inventedID:
		id := a.one(fmt.Sprintf("%s-%d", strings.ToUpper(word()[:3]), 1000+a.rng.IntN(9000)),
			fmt.Sprintf("%s_%s_%d", word(), word(), 1000+a.rng.IntN(9000)), fmt.Sprintf("%07x", 0x1a00000+a.rng.IntN(0xfffff)*8))
		return fact{topic: aValue}, a.tellValue(fact{name: a.one("ticket", "commit", "user id"), value: id})
	case inventedLink:
		return fact{topic: aValue}, a.tellValue(fact{name: "link", value: "https://" + word() + "-" + word() + ".example.net/" + word()})
	case inventedNumber:
		return fact{topic: aValue}, a.one(
			fmt.Sprintf("The timeout was set to %d ms.", 4100+a.rng.IntN(900)),
			fmt.Sprintf("The service listens on port %d.", 21000+a.rng.IntN(9000)),
			fmt.Sprintf("The cache is limited to %d MB.", 711+a.rng.IntN(200)))
	}
	pair := a.rng.Perm(6)
	names := []string{"Kafka", "RabbitMQ", "Cassandra", "Terraform", "Elixir", "Memcached"}
	chosen, rejected := names[pair[0]], names[pair[1]]
	return fact{topic: aDecision}, a.one("It was decided to use "+chosen+" instead of "+rejected+" because it scales better.",
		"Decision: go with "+chosen+" rather than "+rejected+" for the "+word()+" pipeline.",
		"The team chose "+chosen+" over "+rejected+" for "+word()+" storage.")
}
