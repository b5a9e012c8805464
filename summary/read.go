package summary

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/view"
)

// Read returns the summary of the turns [from, to). calls are those made in the turns; before is
// the summary of the earlier turns. FillWords adds persons' messages.
func Read(s *quotes.Source, calls []transcript.Call, from, to int, before *Summary) Summary {
	sum := Summary{First: from + 1, Last: to, Folds: 1, Todos: before.Todos}
	printed := s.Outputs(from, to)
	files := fileList{before: before.Files}
	var last, work *transcript.Call // work is the last beside those on the todo list
	outcomes := outcomeList{unsettled: unsettled(before.Calls), before: before.Calls}
	said := from // the messages before it have been read for commands that ended
	readEnds := func(to int) {
		for ; said < to; said++ {
			if s.Messages[said].Role() != view.User {
				continue
			}
			for _, end := range s.EndedIn(said) {
				outcomes.end(said+1, end, excerpt.Quote(s.Redacted(end.Report), quotes.MaxReport))
			}
		}
	}
	for i := range calls {
		c := &calls[i]
		if c.Result >= to {
			continue
		}
		if last = c; !c.SetsTodos() {
			work = c
		}
		if c.Result < 0 {
			continue
		}
		readEnds(c.Caller)
		sum.Todos = sum.Todos.After(c, resultOfTodo(s, c))
		if c.Nested() != nil { // what it did is noted of the nested calls
			outcomes.drop(c.Polls())
			continue
		}
		if !c.Hosted {
			files.note(c)
		}
		outcomes.stop(c)
		if o := outcome(printed, c); outcomes.keeps(o) {
			outcomes.add(outcomes.goesOn(c, o))
		}
	}
	readEnds(to)
	sum.Unanswered, sum.Older.Unanswered = unanswered(s, calls)
	sum.LastCall = lastCall(s, last, work, before.LastCall)
	sum.Files, sum.Older.Files = files.newestFirst()
	sum.Cited, sum.Older.Cited = s.Cited(calls, from, to, maxEntries)
	sum.Attached = s.Attached(from, to, maxEntries)
	sum.Calls, sum.Older.Calls = outcomes.newestFirst()
	if persons := s.Persons(from, to); len(persons) > 0 {
		sum.Latest = persons[len(persons)-1] + 1
	}
	sum.Reports, sum.Older.Reports = reports(s, from, to)
	if last := s.LastWords(from, to); last >= 0 {
		q := s.Quote(last, 2*quotes.MaxQuote)
		sum.State = &q
	}
	return sum
}

// lastCall states the last call. last is that call, work the last one beside those on the todo
// list, each nil if there is none; earlier is what was stated of earlier turns. A call on the todo
// list is stated only if there was no other: the list says what it did.
func lastCall(s *quotes.Source, last, work *transcript.Call, earlier *Call) *Call {
	switch {
	case last == nil:
		return nil
	case work == nil && earlier != nil && !earlier.OnTodos:
		return &Call{At: earlier.At, Text: earlier.Text, BeforeTodos: true}
	}
	c := cmp.Or(work, last)
	text := s.Redacted(describe.Call(s.SafeCall(c), describe.MaxArguments))
	return &Call{At: c.Caller + 1, Text: text, OnTodos: work == nil, BeforeTodos: c != last}
}

// reports returns the assistant's closing words before each new request, newest first. left reports
// whether some were left out because there were too many.
func reports(s *quotes.Source, from, to int) (list []quotes.Quote, left bool) {
	for _, r := range slices.Backward(s.Requests(from, to)) {
		switch {
		case r.Answers < 0:
		case len(list) == maxEntries:
			return list, true
		default:
			list = append(list, s.Quote(r.Answers, quotes.MaxQuote))
		}
	}
	return list, false
}

// resultOfTodo returns the result of a call that creates a task; it contains the task's id.
func resultOfTodo(s *quotes.Source, c *transcript.Call) string {
	if len(c.Args) > 8 || c.Effect != transcript.Other {
		return ""
	}
	return excerpt.Head(s.Text(c.Result), describe.MaxOutput)
}

// outcome returns how a call ended, nil for one that maintains the todo list.
func outcome(s *quotes.Outputs, c *transcript.Call) *Outcome {
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
	if o.FileAccess && !c.MayHaveFailed() {
		return o // only relevant if it resolves a failure
	}
	if c.Status == transcript.Failed { // one that was not let run did not fail
		o.Fails, o.FailedAt = 1, o.At
	}
	o.Tool = describe.Tool(c.Name)
	o.Output, o.Logged, o.Whole = s.Of(c)
	most := describe.MaxArguments
	if !o.Runs && !o.FileAccess && len(c.Args) > 1 { // the result says more than a long argument
		most /= 2
	} else if transcript.ReturnsReport(c.Name) { // a plan is its only argument
		most = quotes.MaxReport
	}
	o.What = s.Redacted(describe.Subject(s.SafeCall(c), most))
	if o.Runs {
		o.Folder = s.Redacted(c.Folder())
	}
	return o
}

// keyOf returns the hash of a call with all of its arguments.
func keyOf(c *transcript.Call) string {
	sum := sha256.Sum256([]byte(c.Key()))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}
