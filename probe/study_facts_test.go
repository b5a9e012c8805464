package probe_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// topic says what a fact is about, which decides how it is told and how it can be told wrong.
type topic string

const (
	aTask     topic = "task"
	aRequest  topic = "request"
	aRule     topic = "rule"
	aFile     topic = "file"
	aValue    topic = "value"
	aDecision topic = "decision"
	anOutcome topic = "outcome"
	aTodo     topic = "todo"
	anError   topic = "error"
	aState    topic = "state"
)

// fact is something that a summary of a talk may tell.
type fact struct {
	topic topic
	words []string // the sentences that say it, as they stand in the transcript
	name  string   // of a value, an outcome: what it is of
	value string   // of a value, a file
	good  bool     // of an outcome: it passed; of a todo: it is done
	times int      // of a file
	minor bool     // a summary may leave it out
	whole bool     // of a rule: it is no plain order, and told in its own words
}

// facts reads what a good summary of the talk would tell, in the order of the talk.
func (t *talk) facts() (out []fact) {
	var spoken []string
	for _, turn := range t.turns {
		if turn.role == "user" {
			if s := said(turn.text); len(strings.Fields(s)) > 1 {
				spoken = append(spoken, s)
			}
		}
	}
	out = append(out, requestFacts(spoken)...)
	out = append(out, ruleFacts(spoken)...)
	out = append(out, valueFacts(spoken)...)
	out = append(out, t.fileFacts()...)
	out = append(out, t.decisionFacts(spoken)...)
	out = append(out, t.outcomeFacts()...)
	out = append(out, t.todoFacts()...)
	out = append(out, t.errorFacts()...)
	return append(out, t.stateFacts()...)
}

// requestFacts tells the task, with what it details, and the requests after it: all of a short talk, of a long one the
// latest and some.
func requestFacts(spoken []string) (out []fact) {
	for i, s := range spoken {
		f := fact{topic: aRequest, words: opening(s, 3, 450)}
		if i == 0 {
			f = fact{topic: aTask, words: opening(s, 8, 1200)}
		}
		f.minor = i > 0 && i < len(spoken)-8
		if len(f.words) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// opening returns the first sentences of a text, up to so many letters.
func opening(text string, most, letters int) (out []string) {
	for _, s := range sentences(text) {
		letters -= len(s)
		if len(out) == most || letters < 0 && len(out) > 0 {
			break
		}
		out = append(out, s[:min(len(s), 600)])
	}
	return out
}

var ruleForm = regexp.MustCompile(`(?i)^(please |also |and |but |so |remember,? )*(you (should|must) )?(never|always|don't|do not|must not|only use)\b`)

// moment marks an order of the moment rather than a rule.
var moment = regexp.MustCompile(`(?i)(don't|do not|never) (forget|worry|know|think|want|have|see|understand|remember|mind|recall|need)|never ?mind`)

func ruleFacts(spoken []string) (out []fact) {
	for _, s := range spoken {
		for _, sen := range sentences(s) {
			n := len(strings.Fields(sen))
			plain := n <= 40 && ruleForm.MatchString(sen)
			if n < 3 || n > 60 || !plain && !standingForm.MatchString(sen) || moment.MatchString(sen) || strings.HasSuffix(sen, "?") {
				continue
			}
			if !slices.ContainsFunc(out, func(f fact) bool { return f.words[0] == sen }) {
				out = append(out, fact{topic: aRule, words: []string{sen}, whole: !plain})
			}
		}
	}
	return out[max(0, len(out)-12):]
}

// standingForm marks a rule that is no plain order: it is told as a whole.
var standingForm = regexp.MustCompile(`(?i)\b(from now on|going forward|under no circumstances|at all times|make sure (you|to) (always|never)|must (never|not|always)|should (never|always)|not allowed to|forbidden to|off limits|only use|use only|(please|and|but|also),? (never|always))\b`)

var (
	labelled = regexp.MustCompile(`(?i)\b(user id|reservation id|flight|port|limit|timeout|version|ticket|issue|tracking number|postal code|email address)( number)?( is|:| to| of| at| =|=)?,? #?([A-Za-z0-9][\w@.-]*\d[\w@.-]*\w|\d{2,}\w*)`)
	address  = regexp.MustCompile(`https?://[^\s"'<>)\]]+[\w/]`)
	amount   = regexp.MustCompile(`\$\d[\d,.]*\d`)
)

// valueFacts are the ids, numbers and addresses that the user named. Of one name the latest holds.
func valueFacts(spoken []string) (out []fact) {
	add := func(name, value string) {
		name = strings.ToLower(name)
		out = slices.DeleteFunc(out, func(f fact) bool { return f.value == value || f.name == name && name != "link" && name != "amount" })
		out = append(out, fact{topic: aValue, name: name, value: value})
	}
	for _, s := range spoken {
		if len(s) > 2500 {
			s = s[:strings.LastIndexByte(s[:2500], ' ')+1]
		}
		for _, m := range labelled.FindAllStringSubmatch(s, -1) {
			add(m[1], m[4])
		}
		for _, m := range address.FindAllString(s, -1) {
			add("link", m)
		}
		for _, m := range amount.FindAllString(s, -1) {
			add("amount", m)
		}
	}
	return out[max(0, len(out)-10):]
}

var writer = regexp.MustCompile(`(?i)(edit|write|create|str_replace|insert|patch)`)

// fileFacts are the files that the talk changed, those worked on most first; of many the tail is minor.
func (t *talk) fileFacts() (out []fact) {
	failed := t.failedCalls()
	var paths []string
	count := map[string]int{}
	for _, turn := range t.turns {
		for _, c := range turn.calls {
			p := c.arg("file_path", "path", "filename", "notebook_path")
			if p == "" || !strings.ContainsAny(p, "./") || !writer.MatchString(c.name) || failed[c.id] {
				continue
			}
			if count[p] == 0 {
				paths = append(paths, p)
			}
			count[p]++
		}
	}
	leave := sharedFolders(paths)
	slices.SortStableFunc(paths, func(a, b string) int { return count[b] - count[a] })
	for i, p := range paths {
		out = append(out, fact{topic: aFile, value: shortPath(p, leave), words: []string{p}, times: count[p], minor: i >= 12})
	}
	return out
}

var wentWrong = regexp.MustCompile(`(?m)^(FAIL|E   |Error |--- FAIL|Exit code [1-9]|Exited with code [1-9]|Command exited with code [1-9]|.*\bERROR |.*\btask failed|Traceback|(\w+: )?(\w*Error|error)\b: |<tool_use_error>|.*\berror TS\d|npm ERR!|fatal: |panic: |AssertionError|.*\bSyntaxError)`)

// wentWell is what a check that passed says: so, or nothing at all.
var wentWell = regexp.MustCompile(`(?im)^ok\b|^PASS\b|\b(all|[1-9]\d*)( \w+)? (passed|pass|passing|succeeded)\b|\b(0|no) (issues|errors|problems|warnings|failures)\b|✓|✔|✅|\bsuccess(ful|fully)?\b|\bno output\b|\bfinished in\b|\bdone\b|\A\s*\z`)

func (t *talk) failedCalls() map[string]bool {
	out := map[string]bool{}
	for _, turn := range t.turns {
		if turn.role == "tool" && strings.HasPrefix(strings.TrimSpace(turn.text), "<tool_use_error>") {
			out[turn.callID] = true
		}
	}
	return out
}

var deciding = regexp.MustCompile(`(?i)\b(instead of|rather than|decided to|in favor of|let's use|go with|we'll use|opted (for|to))\b`)

// decisionFacts are the latest sentences that choose something over something else.
func (t *talk) decisionFacts(spoken []string) (out []fact) {
	for _, turn := range t.turns {
		text := ""
		switch turn.role {
		case "user":
			text = said(turn.text)
		case "assistant":
			text = fences.ReplaceAllString(turn.text, "")
		}
		if len(text) > 4000 {
			continue
		}
		for _, s := range sentences(text) {
			if n := len(strings.Fields(s)); n > 4 && n < 35 && deciding.MatchString(s) && !strings.HasSuffix(s, "?") {
				out = append(out, fact{topic: aDecision, words: []string{s}, minor: turn.role == "assistant"})
			}
		}
	}
	for i := range out {
		out[i].minor = out[i].minor && i < len(out)-6
	}
	return out
}

var checkRun = regexp.MustCompile(`\b(go test|go build|go vet|golangci-lint run|pytest|(?:npm|pnpm|yarn|bun|mise|make|just|task|uv|cargo) (?:run )?(?:test|check|build|lint|vet|typecheck|clippy)[\w:]*|npx tsc|python3? \S*test\S*\.py)`)

// quotation is what a command only says: a commit's message, the text of a file.
var quotation = regexp.MustCompile(`(?s)<<.*|"[^"]*"|'[^']*'`)

// outcomeFacts tell how each kind of check ended when it was run last.
func (t *talk) outcomeFacts() (out []fact) {
	runs := map[string][]string{} // call → what was run
	for _, turn := range t.turns {
		for _, c := range turn.calls {
			runs[c.id] = checkRun.FindAllString(quotation.ReplaceAllString(c.arg("command"), ""), -1)
		}
		names := runs[turn.callID]
		if turn.role != "tool" || len(names) == 0 || strings.Contains(turn.text, "doesn't want to proceed") {
			continue // not run
		}
		out = slices.DeleteFunc(out, func(f fact) bool { return slices.Contains(names, f.name) })
		line := wentWrong.FindString(turn.text)
		switch {
		case line != "":
			at := strings.Index(turn.text, line)
			full, _, _ := strings.Cut(turn.text[at:], "\n")
			why := strings.TrimSpace(full[:min(len(full), 160)])
			out = append(out, fact{topic: anOutcome, name: culprit(names, turn.text), words: []string{why}})
		case wentWell.MatchString(turn.text): // else it does not say
			for i, name := range names {
				if !slices.Contains(names[:i], name) {
					out = append(out, fact{topic: anOutcome, name: name, good: true})
				}
			}
		}
	}
	return out[max(0, len(out)-4):]
}

// culprit is the check that failed of several: the one that a task runner names, else the last.
func culprit(names []string, output string) string {
	for _, name := range names {
		if strings.Contains(output, "["+name[strings.LastIndexByte(name, ' ')+1:]+"] ERROR") {
			return name
		}
	}
	return names[len(names)-1]
}

// todoFacts read the latest state of a list of tasks.
func (t *talk) todoFacts() (out []fact) {
	order, created := []string{}, map[string]string{}
	done := map[string]bool{}
	for _, turn := range t.turns {
		for _, c := range turn.calls {
			switch c.name {
			case "TaskCreate":
				order = append(order, c.arg("subject"))
			case "TaskUpdate":
				if s := c.arg("status"); s != "" {
					done[c.arg("taskId")] = s == "completed"
				}
			case "TodoWrite":
				order, created, done = todoList(c.args["todos"])
			}
		}
	}
	for i, subject := range order {
		id := created[subject]
		if id == "" {
			id = strconv.Itoa(i + 1)
		}
		if len(strings.Fields(subject)) > 1 {
			out = append(out, fact{topic: aTodo, words: []string{subject}, good: done[id]})
		}
	}
	return out[max(0, len(out)-8):]
}

func todoList(list any) (order []string, created map[string]string, done map[string]bool) {
	created, done = map[string]string{}, map[string]bool{}
	items, _ := list.([]any)
	for i, item := range items {
		fields, _ := item.(map[string]any)
		subject, _ := fields["content"].(string)
		order = append(order, subject)
		created[subject] = strconv.Itoa(i + 1)
		done[strconv.Itoa(i+1)] = fields["status"] == "completed"
	}
	return order, created, done
}

// errorFacts are the errors of the last turns whose tool did not succeed on the same thing later.
func (t *talk) errorFacts() (out []fact) {
	subjects := map[string]string{}
	open := map[string]string{}
	var order []string
	for i, turn := range t.turns {
		for _, c := range turn.calls {
			subject := c.arg("file_path", "path", "command")
			subjects[c.id] = c.name + " " + strings.Join(strings.Fields(subject)[:min(2, len(strings.Fields(subject)))], " ")
		}
		subject, known := subjects[turn.callID]
		if turn.role != "tool" || !known || !strings.EqualFold(strings.Fields(subject)[0], "bash") {
			continue
		}
		delete(open, subject)
		line := wentWrong.FindString(turn.text)
		if line == "" || i < len(t.turns)-30 || len(turn.text) > 6000 {
			continue
		}
		full, _, _ := strings.Cut(turn.text[strings.Index(turn.text, line):], "\n")
		open[subject] = strings.TrimSpace(full[:min(len(full), 200)])
		order = append(order, subject)
	}
	for _, s := range order {
		if line := open[s]; line != "" {
			delete(open, s)
			out = append(out, fact{topic: anError, name: s, words: []string{line}})
		}
	}
	return out[max(0, len(out)-3):]
}

// stateFacts are the last words of the assistant.
func (t *talk) stateFacts() []fact {
	for i := len(t.turns) - 1; i >= 0; i-- {
		text := fences.ReplaceAllString(t.turns[i].text, "")
		if t.turns[i].role == "assistant" && len(text) > 60 {
			return []fact{{topic: aState, words: opening(text, 3, 400)}}
		}
	}
	return nil
}
