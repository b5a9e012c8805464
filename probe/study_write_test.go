package probe_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// author writes summaries as a model might: facts in other words and another order, under headings or as prose, minor
// ones left out. The same seed gives the same summary.
type author struct{ rng *rand.Rand }

func newAuthor(seed uint64) *author { return &author{rand.New(rand.NewPCG(seed, 7))} }

func (a *author) one(of ...string) string { return of[a.rng.IntN(len(of))] }

// otherWords replace words of the transcript, about two in five, as a paraphrase does.
var otherWords = map[string][]string{
	"fix": {"repair", "resolve"}, "fixed": {"resolved", "repaired"}, "fixes": {"repairs"}, "add": {"introduce", "include"},
	"added": {"introduced"}, "remove": {"drop", "delete"}, "removed": {"dropped", "deleted"}, "change": {"modify", "adjust"},
	"changed": {"modified"}, "changes": {"modifications", "edits"}, "implement": {"build", "create"}, "update": {"adjust", "revise"},
	"updated": {"revised", "adjusted"}, "check": {"verify", "look at"}, "show": {"display"}, "shows": {"displays"}, "issue": {"problem"},
	"issues": {"problems"}, "create": {"make"}, "created": {"made"}, "make": {"create"}, "big": {"large"}, "need": {"require"},
	"needs": {"requires"}, "ensure": {"make sure"}, "currently": {"at present"}, "also": {"in addition"}, "only": {"just"},
	"start": {"begin"}, "whether": {"if"}, "called": {"named"}, "because": {"since"}, "method": {"function"}, "folder": {"directory"},
	"tests": {"test cases"}, "allow": {"permit"}, "returns": {"gives back"}, "documentation": {"docs"}, "investigate": {"look into"},
	"provide": {"give"}, "several": {"a number of"}, "existing": {"present"}, "flights": {"connections"}, "help": {"assist"},
	"book": {"reserve"}, "cheapest": {"least expensive"}, "error": {"failure"}, "missing": {"absent"}, "wrong": {"incorrect"},
}

// spoken turns a person's words into a report of them.
var spokenForms = []struct {
	form *regexp.Regexp
	told string
}{
	{regexp.MustCompile(`(?i)\b(can|could|would) (you|we) (please )?`), ""},
	{regexp.MustCompile(`(?i)\bplease,? `), ""},
	{regexp.MustCompile(`(?i)^(hi|hello|hey|ok|okay|yes|sure|alright|great|well|hm+)[,!. ]+`), ""},
	{regexp.MustCompile(`(?i)\bi(’|')d like (us )?to\b|\bi want to\b|\bi would like to\b`), "the user wants to"},
	{regexp.MustCompile(`(?i)\bi(’|')m\b|\bi am\b`), "the user is"},
	{regexp.MustCompile(`(?i)\blet(’|')s\b`), "to"},
	{regexp.MustCompile(`\bI(’|')ll\b|\bI will\b`), "will"},
	{regexp.MustCompile(`\bI(’|')ve\b|\bI have\b`), "has"},
	{regexp.MustCompile(`\bI\b`), "the user"},
	{regexp.MustCompile(`(?i)\bmy\b`), "the user's"},
}

var plainWord = regexp.MustCompile(`^[A-Za-z]+$`)

// rewrite tells s in other words. What stands between backticks and what is no plain word stays as it is.
func (a *author) rewrite(s string) string {
	for _, f := range spokenForms {
		s = f.form.ReplaceAllString(s, f.told)
	}
	fields := strings.Fields(s)
	ticks := 0
	for i, w := range fields {
		bare := strings.Trim(w, ".,;:!?()\"'*")
		others, known := otherWords[strings.ToLower(bare)]
		if known && ticks%2 == 0 && !strings.Contains(w, "`") && plainWord.MatchString(bare) && a.rng.IntN(5) < 2 {
			fields[i] = strings.Replace(w, bare, a.one(others...), 1)
		}
		ticks += strings.Count(w, "`")
	}
	return strings.TrimRight(strings.Join(fields, " "), ".?! :;,")
}

func (a *author) rewriteAll(words []string) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		out = append(out, a.rewrite(w))
	}
	return strings.Join(out, ". ")
}

// tell writes one fact.
func (a *author) tell(f fact) string {
	switch f.topic {
	case aTask:
		return a.one("The task: ", "Goal: ", "The user came with this: ", "") + a.rewriteAll(f.words) + "."
	case aRequest:
		return a.one("The user asked: ", "Request: ", "Then asked for: ", "") + a.rewriteAll(f.words) + "."
	case aRule:
		return a.tellRule(f)
	case aFile:
		return a.tellFile(f)
	case aValue:
		return a.tellValue(f)
	case aDecision:
		return a.one("Decision: ", "It was settled: ", "") + a.rewriteAll(f.words) + "."
	case anOutcome:
		return a.tellOutcome(f)
	case aTodo:
		if f.good {
			return fmt.Sprintf(a.one("Done: %s.", "Finished: %s.", "%s (completed)."), a.rewriteAll(f.words))
		}
		return fmt.Sprintf(a.one("Still open: %s.", "Remaining: %s.", "Not done yet: %s."), a.rewriteAll(f.words))
	}
	if f.topic == anError {
		return a.one("Unresolved: ", "Open error: ", "Seen and not solved: ") + f.words[0] + "."
	}
	return a.one("Where things stand: ", "Latest: ", "") + a.rewriteAll(f.words) + "."
}

// order takes a rule apart: what it forbids or orders, and, of "don't use A, use B", what to do in its place.
type order struct {
	forbids, orders, only bool
	what, instead         string
}

var (
	orderHead   = regexp.MustCompile(`(?i)^((please|also|and|but|so|remember,?|you should|you must|you) )*(never|always|don't|do not|must not|must never|must always|only use)\s+`)
	useInstead  = regexp.MustCompile(`(?i)^use (.+?),? (?:but )?use (.+)$`)
	exclamation = " .!"
)

func parseOrder(s string) order {
	head := orderHead.FindString(s)
	rest := strings.TrimRight(s[len(head):], exclamation)
	low := strings.ToLower(head)
	switch {
	case strings.Contains(low, "only use"):
		return order{only: true, what: rest}
	case strings.Contains(low, "always"):
		return order{orders: true, what: rest}
	}
	if m := useInstead.FindStringSubmatch(rest); m != nil {
		return order{forbids: true, what: m[1], instead: m[2]}
	}
	return order{forbids: true, what: rest}
}

func (a *author) tellRule(f fact) string {
	if f.whole {
		return a.one("The user's rule: ", "Standing rule: ", "") + a.rewrite(f.words[0]) + "."
	}
	o := parseOrder(f.words[0])
	switch {
	case o.only:
		return a.one("Only use ", "Use only ") + o.what + "."
	case o.orders:
		return a.one("Always ", "User's rule: always ", "The user wants you to always ") + o.what + "."
	case o.instead != "":
		return a.one("Use "+o.instead+", not "+o.what, "Use "+o.instead+" instead of "+o.what, "Do not use "+o.what+"; use "+o.instead) + "."
	}
	return a.one("Never ", "Do not ", "Don't ", "It is not allowed to ", "The user said never to ", "User's rule: do not ") + o.what + "."
}

func (a *author) tellFile(f fact) string {
	switch {
	case f.times > 1 && a.rng.IntN(2) == 0:
		return fmt.Sprintf("%s was changed in %d places.", f.value, f.times)
	case a.rng.IntN(2) == 0:
		return a.one("Edited ", "Modified ", "Changed ") + "`" + f.value + "`."
	}
	return f.value + a.one(": edited.", " (modified).", " has been changed.")
}

func (a *author) tellValue(f fact) string {
	return a.one("The "+f.name+" is "+f.value, f.name+": "+f.value, "Known: "+f.name+" "+f.value) + "."
}

func (a *author) tellOutcome(f fact) string {
	why := ""
	if len(f.words) > 0 {
		why = " (" + f.words[0] + ")"
	}
	if f.good {
		return "`" + f.name + "`" + a.one(" passes.", " succeeded at its last run.", ": green.", " went through without errors.")
	}
	return "`" + f.name + "`" + a.one(" fails"+why+".", " failed at its last run"+why+".", " is still red"+why+".")
}

// headings of a summary by topic, of which one is chosen.
var headings = map[topic][]string{
	aTask: {"Goal", "Task", "Primary request"}, aRequest: {"What the user asked", "Requests", "User messages"},
	aRule: {"Constraints", "Rules from the user", "Ground rules"}, aFile: {"Files touched", "Files and code", "Changed files"},
	aValue: {"Key facts", "Reference data", "Details"}, aDecision: {"Decisions", "Choices made", "Technical decisions"},
	anOutcome: {"Checks", "Test status", "Verification"}, anError: {"Errors", "Open problems"}, aTodo: {"Plan", "Tasks", "Progress"}, aState: {"Status", "Current work", "State"},
}

// sheet is a summary before it is set: the facts told, each with its line.
type sheet struct {
	facts []fact
	lines []string
	prose bool // as paragraphs, without headings
	seed  uint64
	of    *talk
}

// faithful tells the facts of a talk, and of the minor ones about a quarter.
func faithful(t *talk, facts []fact, seed uint64) *sheet {
	a := newAuthor(seed)
	s := &sheet{prose: a.rng.IntN(3) == 0, seed: seed, of: t}
	for _, f := range facts {
		if f.minor && a.rng.IntN(4) > 0 {
			continue
		}
		s.facts = append(s.facts, f)
		s.lines = append(s.lines, a.tell(f))
	}
	return s
}

// forgetful loses half of the facts.
func (s *sheet) forgetful() *sheet {
	rng := rand.New(rand.NewPCG(s.seed, 11))
	out := &sheet{prose: s.prose, seed: s.seed}
	keep := rng.Perm(len(s.facts))[:len(s.facts)/2]
	kept := map[int]bool{}
	for _, i := range keep {
		kept[i] = true
	}
	for i := range s.facts {
		if kept[i] {
			out.facts, out.lines = append(out.facts, s.facts[i]), append(out.lines, s.lines[i])
		}
	}
	return out
}

// text sets the summary: topics in an order of their own, the facts of one shuffled too where their order says nothing.
func (s *sheet) text() string {
	a := newAuthor(s.seed ^ 0x5eed)
	topics := []topic{aTask, aRule, aRequest, aDecision, aFile, aValue, anOutcome, anError, aTodo, aState}
	a.rng.Shuffle(len(topics), func(i, j int) { topics[i], topics[j] = topics[j], topics[i] })
	var out strings.Builder
	for _, topic := range topics {
		var lines []string
		for i, f := range s.facts {
			if f.topic == topic {
				lines = append(lines, s.lines[i])
			}
		}
		if len(lines) == 0 {
			continue
		}
		if topic != aRequest {
			a.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
		if s.prose {
			out.WriteString(strings.Join(lines, " ") + "\n\n")
			continue
		}
		out.WriteString("## " + a.one(headings[topic]...) + "\n")
		for _, l := range lines {
			out.WriteString("- " + l + "\n")
		}
		out.WriteByte('\n')
	}
	return out.String()
}
