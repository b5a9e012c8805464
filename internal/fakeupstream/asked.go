package fakeupstream

import (
	"regexp"
	"strconv"
	"strings"

	"killick/rawjson"
	"killick/view"
)

// task is what a model is asked for.
type task string

const (
	askedStatements task = "statements"
	askedVerdicts   task = "verdicts"
	askedQuestions  task = "questions"
	askedAnswers    task = "answers"
	askedGrades     task = "grades"
)

// tasks are recognised by the schema in the order.
var tasks = [...]task{askedStatements, askedVerdicts, askedQuestions, askedAnswers, askedGrades}

// asked is a request for one of them, as a model understands it.
type asked struct {
	task     task
	retry    bool // an earlier answer's faults were named
	most     int  // questions
	numbered bool // messages have numbers, which statements and questions name

	turns      []entry     // what is to be stated or asked about
	record     string      // what answers are to be taken from
	questions  []string    // to be answered, or graded
	statements []Statement // to be verified
	expected   []string    // to be graded
	given      []string
}

// readAsked reads what a request asks for: its last user message says it, or the
// one before where the last one names the faults of an answer.
func readAsked(req *view.Request) (a asked, ok bool) {
	msgs := req.Messages()
	last := len(msgs) - 1
	if last < 0 || msgs[last].Role() != view.User {
		return a, false
	}
	text := msgs[last].Text()
	if strings.HasPrefix(text, "Your answer cannot be used") && last >= 2 {
		a.retry = true
		last -= 2
		text = msgs[last].Text()
	}
	text = fromFence(text)
	order := afterFence(text)
	a.retry = a.retry || strings.Contains(order, "\nYour answer cannot be used")
	for _, t := range tasks {
		if strings.Contains(order, `"`+string(t)+`":{"type"`) {
			a.task = t
		}
	}
	if a.task == "" {
		return a, false
	}
	a.most = firstNumber(order, `Write (\d+) questions`)
	a.numbered = strings.Contains(order, `"messages":{"type"`) ||
		strings.Contains(order, `"message":{"type"`)
	if order != text {
		a.readFenced(text)
	} else {
		a.turns = between(transcript(msgs[:last]), text)
	}
	return a, true
}

// fromFence leaves out what precedes fenced data: rules that are as good in a system message.
func fromFence(text string) string {
	if at := strings.Index(text, "\n"+fenceMark); at >= 0 && !strings.HasPrefix(text, fenceMark) {
		return text[at+1:]
	}
	return text
}

// afterFence returns what follows fenced data: the order. Without data, all is one.
func afterFence(text string) string {
	if !strings.HasPrefix(text, fenceMark) {
		return text
	}
	_, order, _ := strings.Cut(text, "\n"+fenceMark+fenceCode(text)+" end of the data\n")
	return order
}

// fenceMark begins the lines that fence data; a code that the data cannot know
// follows it.
const fenceMark = "=== "

func fenceCode(text string) string {
	code, _, _ := strings.Cut(strings.TrimPrefix(text, fenceMark), " ")
	return code
}

func firstNumber(text, pattern string) int {
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		return 3
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// transcript is the conversation as it is in a request.
func transcript(msgs []view.Message) (turns []entry) {
	for i := range msgs {
		m := &msgs[i]
		if m.Role().Instructs() {
			continue
		}
		s := entry{role: string(m.Role()), text: m.Text()}
		for _, c := range m.ToolCalls() {
			s.calls = append(s.calls, saidCall{c.Name, c.Arguments.Text()})
		}
		turns = append(turns, s)
	}
	return turns
}

// between cuts the conversation to the turns that the prompt names by how the
// first and the last begin.
func between(turns []entry, prompt string) []entry {
	from, to := 0, len(turns)
	if i := find(turns, prompt, "\nfrom the first: ", true); i >= 0 {
		from = i
	}
	if i := find(turns, prompt, "\nto the last: ", false); i >= from {
		for to = i + 1; to < len(turns) && view.Role(turns[to].role).Result(); {
			to++
		}
	}
	return turns[from:to]
}

// find returns the first or the last message that begins as the prompt says after mark, -1 if there
// is none.
func find(turns []entry, prompt, mark string, first bool) int {
	_, rest, ok := strings.Cut(prompt, mark)
	line, _, _ := strings.Cut(rest, "\n")
	role, quoted, spaced := strings.Cut(line, " ")
	if !ok || !spaced {
		return -1
	}
	beginning := strings.TrimSuffix(rawjson.Value(quoted).Text(), "…")
	found := -1
	for i, s := range turns {
		text := s.text
		if text == "" && len(s.calls) > 0 {
			text = s.calls[0].name + " " + s.calls[0].arguments
		}
		if s.role == role && strings.HasPrefix(strings.Join(strings.Fields(text), " "), beginning) {
			found = i
			if first {
				break
			}
		}
	}
	return found
}

// readFenced reads data between marks. Only lines with the code of the first
// mark are marks: a model that can be trusted minds that.
func (a *asked) readFenced(text string) {
	mark := fenceMark + fenceCode(text) + " "
	for part := range strings.SplitSeq("\n"+text, "\n"+mark) {
		name, body, _ := strings.Cut(part, "\n")
		kind := name
		if i := strings.LastIndexByte(name, ' '); i >= 0 {
			kind = name[:i]
		}
		body = strings.TrimSuffix(body, "\n")
		switch kind {
		case "statement":
			a.statements = append(a.statements, readStatement(body))
		case "question":
			a.questions = append(a.questions, strings.TrimSpace(body))
		case "expected answer":
			a.expected = append(a.expected, body)
		case "given answer":
			a.given = append(a.given, body)
		default:
			if strings.HasPrefix(name, "part of the record") {
				a.record += body + "\n"
			}
			if rest, ok := strings.CutPrefix(name, "message "); ok {
				number, role, _ := strings.Cut(rest, ", ")
				turn := readEntry(role, body)
				turn.number, _ = strconv.Atoi(number)
				a.turns = append(a.turns, turn)
			}
		}
	}
}

// readStatement reads a statement that is to be verified: a line for each of its texts.
func readStatement(body string) (s Statement) {
	for line := range strings.SplitSeq(body, "\n") {
		switch name, text, _ := strings.Cut(line, ": "); name {
		case "statement":
			s.Text = text
		case "quote":
			s.Quote = text
		}
	}
	return s
}

// readEntry takes the calls out of a message that was written as data.
func readEntry(role, body string) entry {
	s := entry{role: role}
	var text []string
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "[calls "); ok && role == string(view.Assistant) {
			name, arguments, _ := strings.Cut(strings.TrimSuffix(rest, "]"), " ")
			s.calls = append(s.calls, saidCall{name, arguments})
			continue
		}
		text = append(text, line)
	}
	s.text = strings.TrimSpace(strings.Join(text, "\n"))
	return s
}

// Statement is what a scripted model says of turns, in the schema that it is asked
// for.
type Statement struct {
	Section  string `json:"section"`
	Text     string `json:"text"`
	Messages []int  `json:"messages,omitempty"`
	Quote    string `json:"quote"`
}

// sections are those of the schema. What the user wants has none.
var sections = [...]string{
	decisionFact: "decision", doneFact: "completed", failedFact: "failed", openFact: "open",
	nextFact: "next", stateFact: "state", valueFact: "fact", taskFact: "", ruleFact: "",
}
