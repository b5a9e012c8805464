package probe

import (
	"cmp"
	"slices"
	"strconv"
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
	would could might`)

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

// outcome answers a question about how something stands. The record has to name the subject and say its status in the same
// sentence, or under a heading that does.
//
// Sentences for which nearest has more than this subject comes to are about another subject.
func (q Question) outcome(d *document, nearest map[int]float64) Answer {
	a := Answer{Question: q}
	subject, told := q.standing()
	want, task := 1, strings.HasSuffix(q.Expected, toldDone) || strings.HasSuffix(q.Expected, toldOpen)
	if strings.Contains(told, toldFailed) || strings.Contains(told, toldOpen) {
		want = -1
	}
	if s, status := d.told(strings.TrimSuffix(q.Expected, told)); status == want {
		a.Score, a.Found = 1, d.text(s, s, maxPassage)
		return a
	} else if status == -want {
		a.Contradicted, a.Found = true, d.text(s, s, maxPassage)
		return a
	}
	best, against := 0, 0 // sentences, from one
	mentioned := false
	var closest, rightly, wrongly float64
	for _, w := range subject.windows(d, nil) {
		if w.from != w.to {
			continue
		}
		near := subject.about(d, w.from)
		if near < aboutChecked {
			if strings.HasSuffix(q.Expected, toldFailed) && subject.passes(d, w.from) && !d.wishes(w.from) {
				against = cmp.Or(against, w.from+1)
			}
			continue
		}
		mentioned = true
		status := d.status(subject, w.from, task)
		if status == 0 {
			continue
		}
		near += subject.bareIn(d, w.from)
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
		case task || !d.wishes(w.from):
			against, wrongly = w.from+1, max(wrongly, near)
		}
	}
	if want < 0 && !task && against > 0 && wrongly > rightly { // told as passed: that it once failed does not make up for it
		best = 0
	}
	switch {
	case best > 0:
		a.Score, a.Found = 1, d.text(best-1, best-1, maxPassage)
	case against > 0:
		a.Contradicted, a.Found = true, d.text(against-1, against-1, maxPassage)
	case mentioned:
		a.Score = 0.5
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

// standing splits what is expected of an outcome into its subject and how that stands.
func (q Question) standing() (subject *claim, told string) {
	i := strings.LastIndex(q.Expected, ": ")
	if i < 0 {
		i = len(q.Expected)
	}
	return newClaim(q.Expected[:i], Request), q.Expected[i:]
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
		working error errors`)
)

func (d *document) wishes(s int) bool {
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
		return !strings.Contains(fault, "["+lastPart(strings.ToLower(h), ' '))
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

func checkHead(part string) string {
	var head []string
	for f := range strings.FieldsSeq(part) {
		if len(head) == 0 && (strings.Contains(f, "=") || f == "sudo" || f == "time" || f == "env") || strings.HasPrefix(f, "-") {
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

const (
	maxChecks = 3
	maxTodos  = 5
)

// todo is an item of a task list.
type todo struct {
	id      int // as task tools count: from one
	subject string
	done    bool
}

// todos asks which tasks of the latest list are open and which are done, at most so many, the last first.
func (t *transcript) todos(most int) (out []Question) {
	var list []todo
	for i := range t.calls {
		list = t.calls[i].plan(list)
		if len(list) > maxPlan {
			list = list[len(list)-maxPlan:]
		}
	}
	for i := len(list) - 1; i >= 0 && len(out) < most; i-- {
		it := &list[i]
		q := Question{Category: Continuation, Kind: Outcome, Weight: 0.5, Expected: it.subject + ": " + toldDone,
			Prompt: "Is this done: " + it.subject + "?"}
		if !it.done {
			q.Weight, q.Expected = 1, it.subject+": "+toldOpen
		}
		q.Source = q.Expected
		if len(strings.Fields(it.subject)) > 1 {
			out = append(out, q)
		}
	}
	return out
}

// maxPlan bounds the items of a task list that are followed.
const maxPlan = 64

// plan takes what the call does to a task list: a list written whole, an item added, the state of one changed.
func (c *call) plan(list []todo) []todo {
	parts := strings.Join(toolWords(c.name), "")
	switch {
	case !strings.Contains(parts, "todo") && !strings.Contains(parts, "task") && !strings.Contains(parts, "plan"):
	case c.failed:
	case parts == "taskcreate":
		if s := subjectOf(c.args.Get("subject").Text()); s != "" {
			next := 1
			if len(list) > 0 {
				next = list[len(list)-1].id + 1
			}
			list = append(list, todo{id: next, subject: s})
		}
	case parts == "taskupdate":
		id, status := c.args.Get("taskId").Text(), c.args.Get("status").Text()
		for i := range list {
			if status != "" && strconv.Itoa(list[i].id) == id {
				list[i].done = status == "completed"
			}
		}
	default:
		for _, key := range [...]string{"todos", "plan", "items", "todo_list"} {
			if items := c.args.Get(key); items.Kind() == chat.Array {
				return written(items)
			}
		}
	}
	return list
}

// written reads a list that is given whole.
func written(items chat.Value) (list []todo) {
	for item := range items.Elements() {
		for _, key := range [...]string{"content", "step", "title", "text", "description"} {
			s := subjectOf(item.Get(key).Text())
			if s == "" {
				continue
			}
			status := strings.ToLower(item.Get("status").Text())
			list = append(list, todo{subject: s, done: status == "completed" || status == "done"})
			break
		}
		if len(list) == maxPlan {
			break
		}
	}
	return list
}

// subjectOf makes the words of a list's item one line.
func subjectOf(text string) string { return strings.Join(strings.Fields(clip(text, maxFact)), " ") }
