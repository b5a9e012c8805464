package probe

import (
	"cmp"
	"slices"
	"strings"

	"killick/chat"
)

// statusWords say how a thing stands: 1 done or passed, -1 open or failed. By stem, before synonyms are drawn together.
var statusWords = map[string]int{}

func init() {
	for list, status := range map[string]int{
		`pass passes passed solved passing succeed succeeds succeeded success successful successfully green clean ok done complete
		 completed finish finished finalized resolved fixed landed merged works working ✓ ✅`: 1,
		`fail fails failed failing failure failures error errors red broken breaks crash crashes crashed panic panics open
		 remaining remains pending todo outstanding unfinished incomplete unresolved unsolved next blocked skipped ✗ ❌`: -1,
	} {
		for w := range strings.FieldsSeq(list) {
			statusWords[w] = status
		}
	}
}

// wishes mark a sentence that tells what is wanted or may be, not what is.
var wishes = words(`asked asks ask wants want wanted should must ensure until whether requested please wish expects expected sure
	would could might let verify confirm`)

// headStatus reads the status that a heading gives to the lines under it: "Completed", "Next steps".
func headStatus(fields []string) int {
	status := 0
	for _, w := range fields {
		s := statusWords[strings.Trim(w, ",.()")]
		if s != 0 && status != 0 && s != status {
			return 0
		}
		status = cmp.Or(s, status)
	}
	return status
}

// An outcome is told as "subject: status".
const (
	toldPassed = "passed"
	toldFailed = "failed"
	toldDone   = "done"
	toldOpen   = "not done yet"
)

// checkWords are those of a command that checks the work; such a check is also told by the word alone: "the tests pass".
var checkWords = words(`test tests pytest jest vitest tox lint golangci-lint staticcheck eslint ruff clippy build compile vet typecheck tsc mypy
	check`)

// ownPrograms are the check words that are programs themselves.
var ownPrograms = words(`pytest jest vitest tox golangci-lint staticcheck eslint ruff tsc mypy`)

// outcome answers a question about how a check ended. The record has to name the subject and say its status in the same
// sentence.
//
// Sentences for which nearest has more than this subject comes to are about another subject, and so are those that name
// another of the checks known.
func (q Question) outcome(d *document, nearest map[int]float64, known []string) Answer {
	a := Answer{Question: q}
	subject, want := q.standing()
	if s, status := d.told(q.subject()); status != 0 {
		return a.tell(d, s, status == want)
	}
	best, against := 0, 0 // sentences, from one
	mentioned := false
	var closest, rightly, wrongly float64
	for _, w := range subject.windows(d, nil) {
		if w.from != w.to {
			continue
		}
		near := subject.about(d, w.from)
		heads := d.commands(w.from)
		named := slices.Contains(heads, q.subject())
		switch {
		case !named && slices.ContainsFunc(heads, func(h string) bool { return slices.Contains(known, h) }):
			continue // "`mise run test:ci` passes" tells nothing of "mise run test"
		case !named && near < aboutChecked:
			if want < 0 && subject.passes(d, w.from) && !d.wishes(w.from) {
				against = cmp.Or(against, w.from+1)
			}
			continue
		}
		mentioned = true
		status := d.status(subject, w.from, false)
		if status == 0 {
			continue
		}
		if near += subject.bareIn(d, w.from); named {
			near = exactly
		}
		if near < nearest[w.from]-slack {
			continue
		}
		switch { // "run the tests and push" is not "run the tests"
		case near > closest+muchCloser:
			best, against, closest, rightly, wrongly = 0, 0, near, 0, 0
		case near < closest-muchCloser:
			continue
		}
		switch {
		case status == want:
			best, rightly = w.from+1, max(rightly, near)
		case !d.wishes(w.from):
			against, wrongly = w.from+1, max(wrongly, near)
		}
	}
	if want < 0 && against > 0 && wrongly > rightly { // told as passed: that it once failed does not make up for it
		best = 0
	}
	switch {
	case best > 0:
		return a.tell(d, best-1, true)
	case against > 0:
		return a.tell(d, against-1, false)
	case mentioned:
		a.Score = 0.5
	}
	return a
}

// tell answers by what sentence s says, rightly or not.
func (a Answer) tell(d *document, s int, right bool) Answer {
	a.Found, a.s = d.text(s, s, maxPassage), s
	if right {
		a.Score = 1
	} else {
		a.Contradicted = true
	}
	return a
}

// told returns the last sentence of the record that says how a subject stands in the very form of an outcome, and what it says; 0
// if none does. Records tell the past in its order, so an older one that says otherwise is no contradiction.
func (d *document) told(subject string) (sentence, status int) {
	for s := len(d.sentences) - 1; s >= 0; s-- {
		rest, ok := strings.CutPrefix(strings.TrimLeft(d.text(s, s, len(subject)+40), "-* "), subject+": ")
		switch {
		case !ok:
		case strings.HasPrefix(rest, toldPassed), strings.HasPrefix(rest, toldDone):
			return s, 1
		case strings.HasPrefix(rest, toldFailed), strings.HasPrefix(rest, toldOpen):
			return s, -1
		}
	}
	return -1, 0
}

// commands returns the checks that sentence s names between backticks.
func (d *document) commands(s int) (out []string) {
	text := d.source[d.sentences[s].start:d.sentences[s].end]
	for len(out) < maxPaths {
		_, rest, found := strings.Cut(text, "`")
		if !found {
			break
		}
		quoted, after, closed := strings.Cut(rest, "`")
		if !closed {
			break
		}
		out = append(out, checkHeads(quoted)...)
		text = after
	}
	return out
}

// exactly is how well a sentence fits that names its subject word for word: nothing fits better.
const exactly = 3

// about is the share of the claim that sentence s names, whatever it says of it.
func (c *claim) about(d *document, s int) float64 {
	got := 0.0
	for i := range c.facts {
		a := c.facts[i].find(d, d.sentences[s].from, d.sentences[s].to)
		got += c.facts[i].weight * max(a.agreed, a.flipped)
	}
	return got / max(c.total, 1e-9)
}

// bareIn is the share of the words of sentence s that the claim has too.
func (c *claim) bareIn(d *document, s int) float64 {
	p := c.survey(d, d.sentences[s].from, d.sentences[s].to)
	return float64(p.own) / float64(max(p.content, 1))
}

// subject is what an outcome is of.
func (q Question) subject() string {
	return q.Expected[:max(0, strings.LastIndex(q.Expected, ": "))]
}

// standing splits what is expected of an outcome into its subject and how that stands, 1 or -1.
func (q Question) standing() (subject *claim, want int) {
	want = 1
	if strings.HasSuffix(q.Expected, toldFailed) || strings.HasSuffix(q.Expected, toldOpen) {
		want = -1
	}
	return newClaim(q.subject(), Request), want
}

// subjects are what the outcomes among the questions are of.
func subjects(questions []Question) (out []string) {
	for _, q := range questions {
		if q.Kind == Outcome {
			out = append(out, q.subject())
		}
	}
	return out
}

// isTask tells a task of a plan from a check.
func (q Question) isTask() bool {
	return q.Kind == Outcome && (strings.HasSuffix(q.Expected, ": "+toldDone) || strings.HasSuffix(q.Expected, ": "+toldOpen))
}

// aboutChecked is how much of a subject a sentence has to name: "mise run test" is not "mise run test:integration".
const aboutChecked = 0.75

// muchCloser is how much better one sentence has to fit a subject for another to be about something else.
const muchCloser = 0.25

// passes reports whether sentence s says that checks of the claim's sort pass, by the common word: "all tests pass", "the
// build is green".
func (c *claim) passes(d *document, s int) bool {
	for i := range c.facts {
		f := &c.facts[i]
		if !checkWords.has(f.text) {
			continue
		}
		for _, at := range d.within(f.keys[0], d.sentences[s].from, d.sentences[s].to) {
			if before := at - 1; before >= 0 && runners.has(d.tokens[before].text) {
				continue // another check by its own name
			}
			for j := int(at) + 1; j < min(int(at)+4, d.sentences[s].to); j++ {
				if t := &d.tokens[j]; passing.has(t.text) && !d.negative(t) {
					return true
				}
			}
		}
	}
	return false
}

// taskWords are the words of status of tasks alone.
var taskWords = words(`done complete completed finish finished finalized open remaining remains pending todo outstanding unfinished
	incomplete next`)

// passing are the words of status that only a check can have; checkStatus those that say nothing of a task: "task 4 created
// successfully".
var (
	passing     = words(`pass passes passed passing succeed succeeds succeeded green clean`)
	checkStatus = words(`pass passes passed passing succeed succeeds succeeded success successful successfully green clean ok works
		working error errors failure failures failing red broken breaks crash crashes crashed panic panics`)
)

func (d *document) wishes(s int) bool {
	if strings.HasSuffix(strings.TrimRight(d.text(s, s, maxSource), " *_`)"), "?") {
		return true
	}
	for i := d.sentences[s].from; i < d.sentences[s].to; i++ {
		if wishes.has(d.tokens[i].text) {
			return true
		}
	}
	return false
}

// status reads what sentence s says of the subject: its word of status that stands nearest, else that of its heading.
func (d *document) status(subject *claim, s int, task bool) int {
	sen := d.sentences[s]
	first, last := sen.to, sen.from
	for i := sen.from; i < sen.to; i++ {
		if t := &d.tokens[i]; !t.stop && subject.names(t) {
			first, last = min(first, i), max(last, i)
		}
	}
	if status, labelled := d.label(s, task); labelled {
		return status
	}
	if status := d.remark(s); task && status != 0 {
		return status
	}
	status, nearest := 0, maxSentence+1
	for i := sen.from; i < sen.to; i++ {
		t := &d.tokens[i]
		v := statusWords[t.text]
		if v == 0 || subject.names(t) || t.quoted || !task && taskWords.has(t.text) || task && checkStatus.has(t.text) {
			continue
		}
		away := max(first-i, i-last, 0)
		if away >= nearest {
			continue
		}
		nearest, status = away, v
		if d.negative(t) {
			status = -v
		}
	}
	if status == 0 && first < sen.to && task {
		status = int(d.clauses[d.tokens[first].clause].status)
	}
	return status
}

// label reads the status that a short label gives to the rest of its sentence: "Done: …", "Not solved: …".
// One of a task is none of a check: to run the tests may be done, or left to do, however they end.
func (d *document) label(s int, task bool) (status int, labelled bool) {
	sen := d.sentences[s]
	colon := strings.Index(d.source[sen.start:sen.end], ": ")
	if colon < 0 {
		return 0, false
	}
	for i := sen.from; i < min(sen.from+6, sen.to); i++ {
		t := &d.tokens[i]
		if int(t.start) > sen.start+colon {
			return status, labelled
		}
		if v := statusWords[t.text]; v != 0 && !t.quoted {
			labelled = true
			if !task && taskWords.has(t.text) || task && checkStatus.has(t.text) {
				continue
			}
			status = v
			if d.negative(t) {
				status = -v
			}
		}
	}
	return 0, false // a sentence, not a label
}

// remark reads the status that the end of sentence s gives in brackets: "… (completed)."
func (d *document) remark(s int) int {
	sen := d.sentences[s]
	text := strings.TrimRight(d.source[sen.start:sen.end], " .!\n")
	open := strings.LastIndexByte(text, '(')
	if open < 0 || !strings.HasSuffix(text, ")") {
		return 0
	}
	for i := sen.to - 1; i >= sen.from && int(d.tokens[i].start) > sen.start+open; i-- {
		if t := &d.tokens[i]; taskWords.has(t.text) {
			if d.negative(t) {
				return -statusWords[t.text]
			}
			return statusWords[t.text]
		}
	}
	return 0
}

// outcomes asks how the checks ended that were run last, and which tasks of a list are done.
func (t *transcript) outcomes() []Question {
	out := t.checks(maxChecks)
	return append(out, t.todos(maxTodos)...)
}

// checks asks for the last result of each kind of check, tests, linters, builds, of at most so many.
func (t *transcript) checks(most int) (out []Question) {
	type run struct {
		head, fault string
		at          int
		failed      bool
	}
	var runs []run
	for i := range t.calls {
		c := &t.calls[i]
		if !c.done || c.refused || c.args.Get("command").Kind() != chat.String {
			continue
		}
		heads := checkHeads(c.args.Get("command").Text())
		if c.failed {
			heads = c.culprits(heads)
		}
		for _, head := range heads {
			runs = slices.DeleteFunc(runs, func(r run) bool { return r.head == head })
			runs = append(runs, run{head, c.fault, c.at, c.failed})
			if len(runs) > maxPlan {
				runs = runs[1:]
			}
		}
	}
	slices.Reverse(runs)
	for _, r := range runs[:min(len(runs), most)] {
		q := Question{Category: Continuation, Kind: Outcome, Weight: 0.5, Expected: r.head + ": " + toldPassed,
			Prompt: "How did " + r.head + " end when it was run last?"}
		q.Source = q.Expected
		if r.failed {
			q.Weight = 1
			q.Expected = r.head + ": " + toldFailed
			q.Source = strings.TrimSuffix(q.Expected+", "+r.fault, ", ")
		}
		out = append(out, q)
	}
	return out
}

// culprits picks of several checks the ones that the error names as task runners do, "[lint] ERROR task failed", else the
// last one.
func (c *call) culprits(heads []string) []string {
	fault := strings.ToLower(c.fault)
	named := slices.DeleteFunc(slices.Clone(heads), func(h string) bool {
		return !strings.Contains(fault, "["+lastPart(strings.ToLower(h), ' ')+"]")
	})
	if len(named) > 0 || len(heads) == 0 {
		return named
	}
	return heads[len(heads)-1:]
}

// checkHeads returns the checks that a command line runs, each reduced to the words that name it: "go test", "mise run lint".
func checkHeads(command string) (out []string) {
	command = commandBreaks.Replace(clip(command, 4000))
	for part := range strings.SplitSeq(command, "\n") {
		part, _, _ = strings.Cut(part, "|")
		if h := checkHead(part); h != "" && !slices.Contains(out, h) && len(out) < maxPaths {
			out = append(out, h)
		}
	}
	return out
}

// runners are programs that run a check named by a word that follows.
var runners = words(`go npm npx yarn pnpm bun deno make mise just task cargo python python3 uv poetry hatch nox bundle rake gradle
	gradlew mvn mvnw dotnet swift bazel cmake composer php mix stack cabal zig nix tox rails`)

// starters are programs that start another: "timeout 60s go test".
var starters = words(`sudo time env timeout nice nohup exec command`)

func checkHead(part string) string {
	var head []string
	for f := range strings.FieldsSeq(part) {
		if len(head) == 0 && (strings.Contains(f, "=") || starters.has(f) || isDigit(f[0])) || strings.HasPrefix(f, "-") {
			continue
		}
		head = append(head, f)
		word, _, _ := strings.Cut(lastPart(f, '/'), ":") // "test:ci"
		switch {
		case ownPrograms.has(word): // whatever it is started by: "mise exec golangci-lint", "python -m pytest"
			return word
		case checkWords.has(word):
			return strings.Join(head, " ")
		case len(head) == 1 && !runners.has(word), len(head) == 3:
			return ""
		}
	}
	return ""
}

// maxChecks bounds the checks that are asked for.
const maxChecks = 3
