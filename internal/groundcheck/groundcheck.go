// Package groundcheck holds forwarded requests against the requests that clients
// sent: it parses every line of every record by a grammar of its own and derives each
// again from the raw JSON. It shares no code with what writes records, so that a fault
// of the writer cannot hide in both: the standard library is all that it imports.
//
// It checks that what a record states is true, never that it states what is useful.
package groundcheck

import (
	"fmt"
	"strings"
)

// Rules that a forwarded request can break.
const (
	RuleRequest = "request" // a request cannot be read
	RuleGrammar = "grammar" // a line has no form that lines of its section have
	RuleControl = "control" // a control character, a line break or a bidi control
	// what the first line says of the span or of what stands above
	RuleOpening = "opening"
	RuleFolder  = "folder"  // no path lies in the folder that paths are relative to
	RuleQuote   = "quote"   // words that are not those of the message
	RuleSpeaker = "speaker" // words of somebody else than is said
	// a message that is not the one that is spoken of: not the last, not the one answered
	RulePlace    = "place"
	RuleCall     = "call"        // a message that makes no such call
	RuleStatus   = "status"      // another exit code or outcome than the recorded one
	RuleTimes    = "times"       // made or failed more or less often than is said
	RuleLatest   = "latest call" // the call was made again later, or another was made last
	RuleLastLine = "last line"   // not the last line of the output
	RuleValue    = "value"       // not a value of the result
	RuleFile     = "file"        // no call of that tool names the file
	// tools named the file more or less often, or last in another message
	RuleUses  = "uses"
	RuleTwice = "twice"            // the same is listed again
	RuleTodo  = "todo"             // no item of the list, or not in that state
	RuleCount = "count"            // another number is left out than is said
	RuleName  = "name"             // a name that does not occur where the index says
	RuleKept  = "kept"             // a message beside a record that is no client's
	RuleWords = "words of persons" // what persons said is not forwarded as it must be
	// the messages behind the records are not those that follow their span
	RuleTail = "tail"
)

// Kinds of lines that are counted.
const (
	KindQuote     = "quotes"
	KindCutQuote  = "quotes, cut"
	KindCall      = "calls"
	KindLastCall  = "last calls"
	KindFile      = "files"
	KindTodo      = "todo items"
	KindName      = "names"
	KindNameLine  = "lines of names"
	KindLabel     = "labels"
	KindValue     = "values"
	KindPlace     = "places of requests"
	KindCount     = "counts"
	KindStatement = "statements of a model"
	KindKept      = "kept messages"
	KindKeptCut   = "kept messages, cut"
	KindStatus    = "statuses with an exit code"
)

// Fault is one thing that does not hold.
type Fault struct {
	Rule   string
	Record int    // from 1 on in their order; 0 for what is in none
	Line   int    // of the record, from 1 on; 0 for what is in none
	Text   string // what does not hold, and what was found instead
}

// String says where the fault is and what it is.
func (f Fault) String() string {
	where := "request"
	if f.Record > 0 {
		where = fmt.Sprintf("record %d, line %d", f.Record, f.Line)
	}
	return where + ": " + f.Rule + ": " + f.Text
}

// Report is what a check found.
type Report struct {
	Records int
	Counts  map[string]int // by kind
	Faults  []Fault
}

// Add takes in what another check found.
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

// checker is one check. Messages are told by their numbers: the first behind the
// leading instructions is 1.
type checker struct {
	client *conversation
	sent   *conversation
	report Report
	rec    *record // that is being checked; nil: none
	line   int     // of rec
}

// Check holds the request that is forwarded, sent, against the one that the client
// sent, raw.
func Check(raw, sent []byte) Report {
	c := checker{report: Report{Counts: map[string]int{}}}
	var err error
	if c.client, err = readConversation(raw); err != nil {
		c.fault(RuleRequest, "the client's: %v", err)
		return c.report
	}
	if c.sent, err = readConversation(sent); err != nil {
		c.fault(RuleRequest, "the forwarded one: %v", err)
		return c.report
	}
	c.layout()
	return c.report
}

// fault notes that a rule is broken where the check is.
func (c *checker) fault(rule, format string, args ...any) {
	f := Fault{Rule: rule, Text: fmt.Sprintf(format, args...)}
	if c.rec != nil {
		f.Record, f.Line = c.rec.number, c.line
	}
	c.report.Faults = append(c.report.Faults, f)
}

// count notes that a line of a kind was checked.
func (c *checker) count(kind string) { c.report.Counts[kind]++ }

// excerpt is the beginning of a text, for a report.
func excerpt(s string) string {
	const most = 160
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
