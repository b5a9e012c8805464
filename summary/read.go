package summary

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"killick/chat"
	"killick/transcript"
)

// Source is the conversation that a summary is read from.
type Source struct {
	*transcript.Transcript
	// Redact takes credentials out of a text. If nil, they stay.
	Redact func(text string) string
	// Place is how many tokens stand before message i. If nil, i.
	Place func(i int) int
}

func (s *Source) redacted(text string) string {
	if s.Redact == nil {
		return text
	}
	return s.Redact(text)
}

func (s *Source) place(i int) int {
	if s.Place == nil {
		return i
	}
	return s.Place(i)
}

// text is what message i says.
func (s *Source) text(i int) string {
	if s.Messages[i].Role() == chat.User {
		return s.Message(i).Text
	}
	return s.Messages[i].Text()
}

// quote returns a quote of message i of at most n bytes.
func (s *Source) quote(i int, by transcript.Speaker, n int) Quote {
	return Quote{At: i + 1, By: by, Text: quoted(s.redacted(s.text(i)), n)}
}

// Read returns what the turns [from, to) hold by structure. calls are those that
// they make, before is what the turns before them held. What persons said is FillWords'
// business.
func Read(s *Source, calls []transcript.Call, from, to int, before *Summary) Summary {
	sum := Summary{First: from + 1, Last: to, Folds: 1, Todos: before.Todos}
	var files fileList
	outcomes := outcomeList{failed: failing(before.Calls)}
	for i := range calls {
		c := &calls[i]
		if c.Result >= to || c.Result < 0 {
			continue
		}
		files.note(c)
		sum.Todos = sum.Todos.After(c, s.resultOfTodo(c))
		if o := s.outcome(c); outcomes.wants(o) {
			outcomes.add(*o)
		}
		sum.LastCall = &Call{At: c.Caller + 1, Text: s.redacted(Describe(c, maxWhat))}
	}
	sum.Files, sum.Older.Files = files.newestFirst()
	sum.Calls, sum.Older.Calls = outcomes.newestFirst()
	for i := to - 1; i >= from; i-- {
		if s.Messages[i].Role() == chat.User && s.Message(i).Speaker == transcript.Person {
			sum.Latest = i + 1
			break
		}
	}
	for _, r := range s.Requests(from, to) {
		if r.Answers >= 0 {
			sum.addReport(s.quote(r.Answers, transcript.Assistant, maxQuote))
		}
	}
	if last := s.LastWords(from, to); last >= 0 {
		q := s.quote(last, transcript.Assistant, 2*maxQuote)
		sum.State = &q
	}
	return sum
}

// addReport adds the assistant's closing words before a new request, newest first.
func (sum *Summary) addReport(q Quote) {
	sum.Reports = append([]Quote{q}, sum.Reports...)
	sum.Older.Reports = sum.Older.Reports || len(sum.Reports) > maxEntries
	sum.Reports = sum.Reports[:min(len(sum.Reports), maxEntries)]
}

// resultOfTodo is the result of a call that creates a task, which holds its id.
func (s *Source) resultOfTodo(c *transcript.Call) string {
	if len(c.Args) > 8 || c.Effect != transcript.Other {
		return ""
	}
	return head(s.Messages[c.Result].Text(), maxSaid)
}

// outcome reads how a call ended, nil for one that keeps the agent's own list.
func (s *Source) outcome(c *transcript.Call) *Outcome {
	if c.SetsTodos() {
		return nil
	}
	o := &Outcome{
		Key: keyOf(c), At: c.Caller + 1, Runs: c.Effect == transcript.Runs, Looks: c.OnlyReads(),
		Status: c.Status, Exit: c.Exit, Times: 1,
		Quiet: c.Effect == transcript.Reads || c.Effect == transcript.Writes,
	}
	if o.Quiet && !c.Failed() {
		return o // it is only of use where it mends a failure
	}
	if c.Failed() {
		o.Fails = 1
	}
	o.Tool, o.What, o.Output = toolName(c.Name), s.redacted(what(c, "", maxWhat)),
		s.redacted(s.said(c))
	return o
}

// keyOf is the hash of a whole call.
func keyOf(c *transcript.Call) string {
	sum := sha256.Sum256([]byte(c.Key()))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// said is what of a result a later turn may need though it is no file: of a run its
// last line, of another call the values that it returned and was not given.
func (s *Source) said(c *transcript.Call) string {
	text := strings.TrimSpace(transcript.Output(s.Messages[c.Result].Text()))
	if c.Effect == transcript.Runs || c.Failed() {
		return quoted(transcript.LastLine(text), maxSaid)
	}
	if values, ok := valuesOf(text, c); ok {
		return values
	}
	if len(text) <= maxSaid {
		return line(text)
	}
	return ""
}

// maxValues bounds the values of one result.
const maxValues = 8

// valuesOf returns the scalar members of a JSON object that are no argument of the
// call, as "name: value" in their order.
func valuesOf(text string, c *transcript.Call) (string, bool) {
	object := chat.Value(text)
	if object.Kind() != chat.Object || len(text) > 1<<20 {
		return "", false
	}
	given := map[string]bool{}
	for i := range c.Args {
		given[c.Args[i].Text] = true
	}
	var values []string
	size := 0
	for name, v := range object.Members() {
		value := string(v)
		switch v.Kind() {
		case chat.String:
			value = v.Text()
		case chat.Number:
		default:
			continue
		}
		if value = line(value); value == "" || len(value) > maxSaid/2 || given[value] {
			continue
		}
		pair := line(name.Text()) + ": " + value
		if size += len(pair); size > 2*maxSaid || len(values) == maxValues {
			break
		}
		values = append(values, pair)
	}
	return strings.Join(values, "; "), true
}
