package summary

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"killick/rawjson"
	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/transcript"
	"killick/transcript/loglines"
	"killick/transcript/partial"
	"killick/view"
)

// Source is the conversation that is summarized.
type Source struct {
	*transcript.Transcript
	// Redact removes credentials from a text. If nil, they stay.
	Redact func(text string) string
	// Place returns the number of tokens before message i. If nil, i itself.
	Place func(i int) int

	cites map[string]bool // identities of sources: what replies of the turns that are read cite

	// Memo caches what is read of the messages. If nil, the Source makes its own.
	Memo *Memo
}

// Redacted returns a text without credentials.
func (s *Source) Redacted(text string) string {
	if s.Redact == nil {
		return text
	}
	return s.Redact(text)
}

// PlaceOf returns the number of tokens before message i.
func (s *Source) PlaceOf(i int) int {
	if s.Place == nil {
		return i
	}
	return s.Place(i)
}

// Read returns the summary of the turns [from, to). calls are those made in the turns; before is
// the summary of the earlier turns. FillWords adds persons' messages.
func Read(s *Source, calls []transcript.Call, from, to int, before *Summary) Summary {
	sum := Summary{First: from + 1, Last: to, Folds: 1, Todos: before.Todos}
	s.readCites(from, to)
	var files fileList
	var last, work *transcript.Call // work is the last beside those on the todo list
	outcomes := outcomeList{failed: failing(before.Calls), before: before.Calls}
	said := from // the messages before it have been read for commands that ended
	readEnds := func(to int) {
		for ; said < to; said++ {
			if s.Messages[said].Role() != view.User {
				continue
			}
			for _, end := range s.EndedIn(said) {
				outcomes.end(said+1, end, excerpt.Quote(s.Redacted(end.Report), maxReport))
			}
		}
	}
	for i := range calls {
		c := &calls[i]
		if c.Result >= to || c.Result < 0 {
			continue
		}
		readEnds(c.Caller)
		if last = c; !c.SetsTodos() {
			work = c
		}
		sum.Todos = sum.Todos.After(c, s.resultOfTodo(c))
		if c.Nested() != nil { // what it did is noted of the nested calls
			outcomes.drop(c.Polls())
			continue
		}
		if !c.Hosted {
			files.note(c)
		}
		outcomes.stop(c.Stops)
		if o := s.outcome(c); outcomes.keeps(o) {
			outcomes.add(outcomes.goesOn(c, o))
		}
	}
	readEnds(to)
	sum.LastCall = s.lastCall(last, work, before.LastCall)
	sum.Files, sum.Older.Files = files.newestFirst()
	sum.Cited, sum.Older.Cited = s.cited(calls, from, to)
	sum.Attached = s.attached(from, to)
	sum.Calls, sum.Older.Calls = outcomes.newestFirst()
	if persons := s.Persons(from, to); len(persons) > 0 {
		sum.Latest = persons[len(persons)-1] + 1
	}
	sum.Reports, sum.Older.Reports = s.reports(from, to)
	if last := s.LastWords(from, to); last >= 0 {
		q := s.quote(last, 2*maxQuote)
		sum.State = &q
	}
	return sum
}

// lastCall states the last call. last is that call, work the last one beside those on the todo
// list, each nil if there is none; earlier is what was stated of earlier turns. A call on the todo
// list is stated only if there was no other: the list says what it did.
func (s *Source) lastCall(last, work *transcript.Call, earlier *Call) *Call {
	switch {
	case last == nil:
		return nil
	case work == nil && earlier != nil && !earlier.OnTodos:
		return &Call{At: earlier.At, Text: earlier.Text, BeforeTodos: true}
	}
	c := cmp.Or(work, last)
	text := s.Redacted(describe.Call(s.safeCall(c), describe.MaxArguments))
	return &Call{At: c.Caller + 1, Text: text, OnTodos: work == nil, BeforeTodos: c != last}
}

// reports returns the assistant's closing words before each new request, newest first. left reports
// whether some were left out because there were too many.
func (s *Source) reports(from, to int) (reports []Quote, left bool) {
	for _, r := range slices.Backward(s.Requests(from, to)) {
		switch {
		case r.Answers < 0:
		case len(reports) == maxEntries:
			return reports, true
		default:
			reports = append(reports, s.quote(r.Answers, maxQuote))
		}
	}
	return reports, false
}

// resultOfTodo returns the result of a call that creates a task; it contains the task's id.
func (s *Source) resultOfTodo(c *transcript.Call) string {
	if len(c.Args) > 8 || c.Effect != transcript.Other {
		return ""
	}
	return excerpt.Head(s.Text(c.Result), describe.MaxOutput)
}

// outcome returns how a call ended, nil for one that maintains the todo list.
func (s *Source) outcome(c *transcript.Call) *Outcome {
	if c.SetsTodos() {
		return nil
	}
	o := &Outcome{
		Key: keyOf(c), At: c.Caller + 1, Runs: c.Effect == transcript.Runs,
		Background: c.InBackground(),
		ReadOnly:   c.OnlyReads() && !c.Hosted, // what the provider has may be gone later
		Status:     c.Status, Exit: c.Exit, Session: c.Session, Times: 1,
		FileAccess: (c.Effect == transcript.Reads || c.Effect == transcript.Writes) &&
			(describe.PathSaysAll(c) || len(c.Paths) == 0),
	}
	if began := c.Began(); began >= 0 {
		o.Began = began + 1
	}
	if o.FileAccess && !c.Failed() {
		return o // only relevant if it resolves a failure
	}
	if c.Status == transcript.Failed { // one that was not let run did not fail
		o.Fails = 1
	}
	o.Tool = describe.Tool(c.Name)
	if o.Output = s.loggedError(c); o.Output != "" {
		o.Logged = true
	} else if o.Output = s.shortOutput(c); o.Output != "" {
		o.Whole = true
	} else {
		o.Output = s.output(c)
	}
	most := describe.MaxArguments
	if !o.Runs && !o.FileAccess && len(c.Args) > 1 { // the result says more than a long argument
		most /= 2
	} else if transcript.ReturnsReport(c.Name) { // a plan is its only argument
		most = maxReport
	}
	o.What = s.Redacted(describe.Subject(s.safeCall(c), most))
	if o.Runs {
		o.Folder = s.Redacted(c.Folder())
	}
	return o
}

// safeCall returns a call without credentials in its command and its arguments. They are removed
// before anything is cut: half of a credential is not recognized.
func (s *Source) safeCall(c *transcript.Call) *transcript.Call {
	if s.Redact == nil {
		return c
	}
	safe := *c
	safe.Command = s.Redact(c.Command)
	safe.Args = slices.Clone(c.Args)
	for i := range safe.Args {
		safe.Args[i].Text = s.Redact(c.Args[i].Text)
	}
	return &safe
}

// keyOf returns the hash of a call with all of its arguments.
func keyOf(c *transcript.Call) string {
	sum := sha256.Sum256([]byte(c.Key()))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// output returns the part of a result that a later turn may need: what a person said who did not
// let the call run, the last line of a command's output if it has words, the values that another
// call returned and that are not among its arguments, or else the beginning of its output: its end
// may be about something else, and beside the beginning would seem to continue it.
func (s *Source) output(c *transcript.Call) string {
	if c.Status == transcript.Refused {
		words := transcript.RefusalWords(s.Text(c.Result))
		return excerpt.Quote(s.Redacted(words), describe.MaxArguments)
	}
	runs := c.Effect == transcript.Runs
	if failedRun(c.Status, c.Exit, runs, c.InBackground()) {
		return s.printed(c)
	}
	text := strings.TrimSpace(s.SafeOutput(c))
	if runs && c.OnlyReads() && !c.InBackground() {
		return "" // of a long output, no line says what was shown
	}
	if (runs || c.Polls() != "") && !c.InBackground() {
		if last := transcript.LastLine(partial.Of(text).Tail); excerpt.HasWords(last) {
			return excerpt.Quote(last, describe.MaxOutput)
		}
		return ""
	}
	if c.Session != "" && transcript.ReturnsReport(c.Name) {
		return "" // it goes on, and its report comes later
	}
	if transcript.ReturnsReport(c.Name) && !c.Failed() {
		return excerpt.Quote(text, maxReport) // its end is often the conclusion
	}
	if c.Hosted {
		return s.hostedOutput(c)
	}
	return describe.Output(c, text)
}

// loggedError returns the last line of what a call printed that states that it is of level error or
// worse, "" if there is none, if lines after it may be missing, or if the call failed.
func (s *Source) loggedError(c *transcript.Call) string {
	if c.Failed() || c.Hosted || c.InBackground() || c.Effect != transcript.Runs &&
		c.Effect != transcript.Other || transcript.ReturnsReport(c.Name) {
		return ""
	}
	text := strings.TrimSpace(s.SafeOutput(c))
	if c.Effect == transcript.Other && rawjson.Only(text) != nil {
		return "" // what a call returned is no log
	}
	return excerpt.Quote(loglines.LastError(partial.Of(text).Tail), describe.MaxArguments)
}

// shortOutput returns what a command that did not fail printed if that is short: a version, a port
// or a count may be what the command was for. Of one line, output says the same unless the command
// only shows something.
func (s *Source) shortOutput(c *transcript.Call) string {
	if c.Effect != transcript.Runs || c.Failed() || c.InBackground() || c.Polls() != "" ||
		c.Session != "" {
		return ""
	}
	text := strings.TrimSpace(s.SafeOutput(c))
	if len(text) > describe.LongValue || !excerpt.HasWords(text) || partial.Of(text).Cut ||
		!c.OnlyReads() && !strings.Contains(text, "\n") {
		return ""
	}
	return excerpt.Line(text)
}
