// Package groundcheck compares forwarded requests with the requests that clients sent: it parses
// every line of every record with a grammar of its own and derives each again from the raw JSON. It
// shares no code with what writes records, so that a fault of the writer cannot hide in both: it
// imports only the standard library, and packages of its own that import nothing else.
//
// It checks that what a record states is true, never that it is useful.
package groundcheck

import (
	"fmt"
	"strings"

	"killick/internal/groundcheck/conversation"
)

// The rules that a forwarded request can break.
const (
	ruleRequest = "request" // a request cannot be read
	ruleGrammar = "grammar" // a line has none of the forms of its section
	ruleControl = "control" // a control character, a line break or a bidi control
	// the first line states a wrong span or number of kept messages
	ruleOpening = "opening"
	ruleFolder  = "folder"  // no path is in the folder that paths are relative to
	ruleQuote   = "quote"   // the words are not in the message
	ruleSpeaker = "speaker" // the words are not the stated speaker's
	// not the message that is meant: not the last one, not the one answered
	rulePlace    = "place"
	ruleCall     = "call"        // the message makes no such call
	ruleStatus   = "status"      // the exit code or outcome is another one
	ruleTimes    = "times"       // made or failed more or less often
	ruleLatest   = "latest call" // the call was made again later, or another one was last
	ruleLastLine = "last line"   // not the last line of the output
	ruleValue    = "value"       // not a value of the result
	ruleSource   = "source"      // no page or file of the call, or of the reply
	ruleFile     = "file"        // no call of that tool names the file
	// tools named the file more or less often, or last in another message
	ruleUses  = "uses"
	ruleTwice = "twice"            // the same is listed again
	ruleTodo  = "todo"             // no item of the list, or not in that state
	ruleCount = "count"            // the number left out is wrong
	ruleName  = "name"             // a name does not occur where the index says
	ruleKept  = "kept"             // a message beside a record is not the client's
	ruleWords = "words of persons" // persons' words are not forwarded as required
	// the messages after the records are not those after their span
	ruleTail = "tail"
)

// The kinds of lines that are counted.
const (
	kindQuote     = "quotes"
	kindCutQuote  = "quotes, cut"
	kindCall      = "calls"
	kindLastCall  = "last calls"
	kindFile      = "files"
	kindTodo      = "todo items"
	kindName      = "names"
	kindNameLine  = "lines of names"
	kindLabel     = "labels"
	kindValue     = "values"
	kindPlace     = "places of requests"
	kindCount     = "counts"
	kindStatement = "statements of a model"
	kindKept      = "kept messages"
	kindKeptCut   = "kept messages, cut"
	kindStatus    = "statuses with an exit code"
	kindAttached  = "images and files of messages"
	kindLines     = "runs of lines of files"
)

// KindSource is the kind of lines that name sources of the provider's calls and of replies.
const KindSource = "sources of the provider's calls and of replies"

// KindUnanswered is the kind of lines that name calls without a result.
const KindUnanswered = "calls without a result"

// Fault is one violation of a rule.
type Fault struct {
	Rule   string
	Record int    // from 1 on, in order; 0 if it is in none
	Line   int    // of the record, from 1 on; 0 if it is in none
	Text   string // what is wrong, and what was found instead
}

// String describes the fault and where it is.
func (f Fault) String() string {
	where := "request"
	if f.Record > 0 {
		where = fmt.Sprintf("record %d, line %d", f.Record, f.Line)
	}
	return where + ": " + f.Rule + ": " + f.Text
}

// Report is the result of a check.
type Report struct {
	Records int
	Counts  map[string]int // by kind
	Faults  []Fault
}

// Add adds the result of another check.
func (r *Report) Add(other Report) {
	if r.Counts == nil {
		r.Counts = map[string]int{}
	}
	r.Records += other.Records
	for kind, n := range other.Counts {
		r.Counts[kind] += n
	}
	r.Faults = append(r.Faults, other.Faults...)
}

// checker is the state of one check. Messages are identified by number: the first after the leading
// instructions is 1.
type checker struct {
	client *conversation.Conversation
	sent   *conversation.Conversation
	report Report
	rec    *record         // the one being checked, nil if none
	line   int             // of rec
	own    map[string]bool // messages of the client with the text of a record: see isOwn
}

// fault records a violation of a rule at the current line.
func (c *checker) fault(rule, format string, args ...any) {
	f := Fault{Rule: rule, Text: fmt.Sprintf(format, args...)}
	if c.rec != nil {
		f.Record, f.Line = c.rec.number, c.line
	}
	c.report.Faults = append(c.report.Faults, f)
}

// count records that a line of a kind was checked.
func (c *checker) count(kind string) { c.report.Counts[kind]++ }

// excerpt returns the beginning of a text, for a report.
func excerpt(s string) string {
	const most = 160
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// within returns the message with a number if it is one of the replaced ones, else nil.
func (c *checker) within(number int) *conversation.Message {
	if number > c.rec.last {
		return nil
	}
	return c.client.At(number)
}
